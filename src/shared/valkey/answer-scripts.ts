import { script } from './server.ts';
import { TIME } from './time.ts';

/**
 * The Lua scripts for answers: each runs atomically, by the server's own clock. A stored answer is a field of two
 * hashes of its key, named by its number: one holds `writer stored gone head`, the other the body. The sorted set
 * `ends` lists answers as `number size key`, by their expiry; `state` has the last number and the bytes of all answers.
 *
 * KEYS must include each key that a script may create, though its name is in ARGV, too: while a cluster moves the keys
 * to another node, it would otherwise be created there, and its older content could not follow.
 */

/** KEYS: heads, bodies. ARGV: number to begin after, or nothing; the writer whose answers are left out then. */
export const READ = script(
  `${TIME}
local found = {}
local heads = redis.call('HGETALL', KEYS[1])
for i = 1, #heads, 2 do
  local number = heads[i]
  local writer, stored, gone, head = string.match(heads[i + 1], '^(%S+) (%d+) (%d+) (.*)$')
  local isWanted = ARGV[1] == '' or (tonumber(number) > tonumber(ARGV[1]) and writer ~= ARGV[2])
  if isWanted and tonumber(gone) > now then
    local body = redis.call('HGET', KEYS[2], number)
    if body then
      for _, one in ipairs({ number, now - stored, head, body }) do found[#found + 1] = one end
    end
  end
end
return found`,
  'no-writes',
);

/**
 * Bytes that an answer is taken to need beside its head and body. Its member of `ends` contains its size: REMOVE finds
 * it only by computing the same size as LAND.
 */
const OVERHEAD_BYTES = 200;

const FORGET = `
local function forget(member)
  local number, size, key = string.match(member, '^(%S+) (%S+) (.*)$')
  redis.call('ZREM', base .. 'ends', member)
  redis.call('HINCRBY', base .. 'state', 'bytes', -size)
  redis.call('HDEL', base .. 'heads:' .. key, number)
  redis.call('HDEL', base .. 'bodies:' .. key, number)
end
`;

/**
 * KEYS: flights, state, ends, then heads and bodies for each key that the answer is stored under. ARGV: prefix of all
 * key names, token, channel, writer, how long it is kept in ms, maximum bytes of all answers, how many ms ago it came,
 * then key, head and body for each. Returns the numbers and heads that each key has now.
 */
export const LAND = script(`${TIME}
local base, writer, keep = ARGV[1], ARGV[4], tonumber(ARGV[5])
${FORGET}
local last = redis.call('HGET', base .. 'state', 'number') or 0
local number = math.max(time[1] * 1000000 + time[2], last + 1)
local all = {}
for i = 8, #ARGV, 3 do
  local key, head, body = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local name = string.format('%.0f', number)
  local size = #head + #body + ${OVERHEAD_BYTES}
  local gone = string.format('%.0f', now + keep)
  redis.call('HSET', base .. 'heads:' .. key, name, table.concat({ writer, string.format('%.0f', now - ARGV[7]), gone, head }, ' '))
  redis.call('HSET', base .. 'bodies:' .. key, name, body)
  redis.call('PEXPIRE', base .. 'heads:' .. key, keep)
  redis.call('PEXPIRE', base .. 'bodies:' .. key, keep)
  redis.call('ZADD', base .. 'ends', gone, name .. ' ' .. size .. ' ' .. key)
  redis.call('HINCRBY', base .. 'state', 'bytes', size)
  number = number + 1
end
redis.call('HSET', base .. 'state', 'number', string.format('%.0f', number))
redis.call('HDEL', KEYS[1], ARGV[2])
redis.call('PUBLISH', ARGV[3], 'over ' .. ARGV[2])
for _, member in ipairs(redis.call('ZRANGEBYSCORE', base .. 'ends', '-inf', now, 'LIMIT', 0, 100)) do
  forget(member)
end
while tonumber(redis.call('HGET', base .. 'state', 'bytes')) > tonumber(ARGV[6]) do
  local first = redis.call('ZRANGE', base .. 'ends', 0, 0)[1]
  if not first then redis.call('HSET', base .. 'state', 'bytes', 0) break end
  forget(first)
end
redis.call('PEXPIRE', base .. 'ends', keep)
redis.call('PEXPIRE', base .. 'state', keep)
for i = 4, #KEYS, 2 do
  local kept = {}
  for j, one in ipairs(redis.call('HGETALL', KEYS[i])) do
    kept[j] = j % 2 == 1 and one or string.match(one, '^%S+ %d+ %d+ (.*)$')
  end
  all[#all + 1] = kept
end
return all`);

/** KEYS: heads, bodies, state. ARGV: prefix of all key names, key, then numbers of the answers to remove. */
export const REMOVE = script(
  `
local base, key = ARGV[1], ARGV[2]
${FORGET}
for i = 3, #ARGV do
  local number = ARGV[i]
  local gone, head = string.match(redis.call('HGET', KEYS[1], number) or '', '^%S+ %d+ (%d+) (.*)$')
  if head then
    local size = #head + redis.call('HSTRLEN', KEYS[2], number) + ${OVERHEAD_BYTES}
    forget(number .. ' ' .. size .. ' ' .. key)
  end
end`,
  'allow-oom',
);

/** KEYS: ends, state. ARGV: prefix of all key names, share of the answers to remove. For a server that is full. */
export const MAKE_ROOM = script(
  `
local base = ARGV[1]
${FORGET}
local count = math.ceil(redis.call('ZCARD', KEYS[1]) * ARGV[2])
if count > 0 then
  for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, count - 1)) do forget(member) end
end`,
  'allow-oom',
);
