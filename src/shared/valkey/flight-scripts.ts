import { script } from './server.ts';
import { TIME } from './time.ts';

/**
 * The Lua scripts for flights and notes. A flight, a want (a claim made in vain) or a note is a field of a hash with
 * the value `end text`; it expires at `end`.
 */

/**
 * KEYS: flights, wants, flights of other keys that would do as well. ARGV: token, what is asked, lease in ms, channel.
 * Returns an empty text and what was claimed, extended by the wants that touch it; or which of the other keys has the
 * flight in the way (from 0; -1 if none), its token, and how long it lasts at most in ms.
 */
export const CLAIM = script(
  `${TIME}
local function overlaps(a, b)
  if a == cjson.null or b == cjson.null then return true end
  if a.start and b.start then return a.start <= b['end'] and b.start <= a['end'] end
  if a.start or b.start then return true end
  local names = {}
  for _, name in ipairs(a) do names[name] = true end
  for _, name in ipairs(b) do if names[name] then return true end end
  return false
end
local function living(key)
  local found, all = {}, redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local ends, asked = string.match(all[i + 1], '^(%d+) (.*)$')
    if not ends or tonumber(ends) <= now then redis.call('HDEL', key, all[i])
    else found[#found + 1] = { token = all[i], ends = tonumber(ends), asked = cjson.decode(asked) } end
  end
  return found
end
local function store(key, asked, ends)
  redis.call('HSET', key, ARGV[1], string.format('%.0f %s', ends, asked))
  redis.call('PEXPIRE', key, math.max(redis.call('PTTL', key), ends - now))
end

local function taken(i, flight)
  redis.call('PUBLISH', ARGV[4], 'awaited ' .. flight.token)
  return { i, flight.token, flight.ends - now }
end

local asked = cjson.decode(ARGV[2])
for _, flight in ipairs(living(KEYS[1])) do
  if overlaps(asked, flight.asked) then
    store(KEYS[2], ARGV[2], flight.ends)
    return taken(-1, flight)
  end
end
for i = 3, #KEYS do
  local flight = living(KEYS[i])[1]
  if flight then return taken(i - 3, flight) end
end

local text = ARGV[2]
local function touches(a, b) return a.start <= b['end'] + 1 and b.start <= a['end'] + 1 end
if asked ~= cjson.null and asked.start then
  local wants, isGrowing = living(KEYS[2]), true
  while isGrowing do
    isGrowing = false
    for _, want in ipairs(wants) do
      if not want.isTaken and touches(asked, want.asked) then
        asked.start = math.min(asked.start, want.asked.start)
        asked['end'] = math.max(asked['end'], want.asked['end'])
        want.isTaken, isGrowing = true, true
        redis.call('HDEL', KEYS[2], want.token)
      end
    end
  end
  text = cjson.encode(asked)
end
store(KEYS[1], text, now + ARGV[3])
return { '', text }`,
  'allow-oom',
);

/** KEYS: flights. ARGV: token, channel. */
export const RELEASE = script(
  `
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('PUBLISH', ARGV[2], 'over ' .. ARGV[1])`,
  'allow-oom',
);

/** KEYS: flights. ARGV: token. Returns 1 while it is under way. */
export const IS_UNDER_WAY = script(
  `${TIME}
local ends = string.match(redis.call('HGET', KEYS[1], ARGV[1]) or '', '^%d+')
return ends and tonumber(ends) > now and 1 or 0`,
  'no-writes',
);

/** KEYS: notes. ARGV: writer, text, how long it is kept in ms. */
export const NOTE = script(
  `${TIME}
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f %s', now + ARGV[3], ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[3])`,
);

/** KEYS: notes. ARGV: writer whose note is left out. Removes notes that have expired, and what is not a note. */
export const NOTES = script(
  `${TIME}
local texts = {}
local notes = redis.call('HGETALL', KEYS[1])
for i = 1, #notes, 2 do
  local ends, text = string.match(notes[i + 1], '^(%d+) (.*)$')
  if not ends or tonumber(ends) <= now then redis.call('HDEL', KEYS[1], notes[i])
  elseif notes[i] ~= ARGV[1] then texts[#texts + 1] = text end
end
return texts`,
  'allow-oom',
);
