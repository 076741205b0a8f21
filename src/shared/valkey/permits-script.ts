import { script } from './server.ts';
import { TIME } from './time.ts';
import { MAX_RAISE_AFTER_MS, RAISE_AFTER_MS, SHARED_WINDOW_MS } from '../permits.ts';

/**
 * The Lua scripts for permits. The sorted set `given` holds the permits of the last second by their time; everything
 * else is one value as JSON. The limit is learned by the rules of upstream/learned-limit.ts
 * (test/shared/permits-rules.test.ts compares both).
 */

/** Needs `s`, the state; `now`; and `perSecond`, which is math.huge if it is not known. */
export const LEARNED_LIMIT = `
local RAISE_AFTER_MS, MAX_RAISE_AFTER_MS = ${RAISE_AFTER_MS}, ${MAX_RAISE_AFTER_MS}
local function limit() return math.min(perSecond, s.limit or math.huge) end
local function raise()
  if limit() >= perSecond or now - s.changedAt < s.raiseAfter then return false end
  if s.step > 1 then s.raiseAfter = RAISE_AFTER_MS end
  s.limit = math.min(perSecond, limit() + s.step)
  s.step, s.changedAt, s.raisedAt = s.step * 2, now, now
  return true
end
local function noteRefused(at, earlier)
  if earlier == 0 or at < s.raisedAt or earlier >= limit() then return end
  if s.step > 1 then s.raiseAfter = math.min(MAX_RAISE_AFTER_MS, s.raiseAfter * 2) end
  s.limit, s.step, s.changedAt = earlier, 1, now
end
`;

export const NOTHING_LEARNED = `{ changedAt = now, raisedAt = 0, raiseAfter = ${RAISE_AFTER_MS}, step = 1 }`;

/**
 * KEYS: state, given. ARGV: the configured limit or 0, the learned limit that this replica knows or 0. A server that
 * has lost its memory, or whose clock went back, does not know what was given in the last second: if there is a limit,
 * it begins with a pause.
 */
const BEGIN = `
local WINDOW_MS, KEPT_MS = ${SHARED_WINDOW_MS}, 3600000
${TIME}
local function known(value) return tonumber(value) > 0 and tonumber(value) or nil end
local perSecond = known(ARGV[1]) or math.huge
local stored = redis.call('GET', KEYS[1])
local s = stored and cjson.decode(stored) or ${NOTHING_LEARNED}
if not stored then s.limit = known(ARGV[2]) end
${LEARNED_LIMIT}
local function pause(ms) s.pausedUntil = math.max(s.pausedUntil, now + ms) end
if not s.at or now < s.at then
  s.pausedUntil, s.nextAt, s.changedAt, s.raisedAt = 0, 0, now, 0
  s.number, s.waiting, s.replicas = 0, {}, {}
  redis.call('DEL', KEYS[2])
  if limit() < math.huge then pause(WINDOW_MS) end
end
s.at = now
local function save() redis.call('SET', KEYS[1], cjson.encode(s), 'PX', KEPT_MS) end
`;

/**
 * Further ARGV: how many permits are wanted (0: this replica no longer waits; -1: it only reports that it is alive),
 * the replica, prefix of the ids, 1 if it gave permits while the server was away.
 *
 * If no replica waits, one that asks gets all available permits at once. Those that wait get one permit each in turn,
 * evenly spaced: if they were given in bursts, an upstream that is slow to count them would count more in one second. A
 * replica that does not ask when its turn is due loses it. Returns how many permits it gets, the time, how many were
 * given in the second before, in how many milliseconds to ask again, the limit and the learned one (0: not known), how
 * many replicas there are, how many of them come before this one, and 1 if nobody has waited.
 */
export const TAKE = script(
  `${BEGIN}
local TURN_LOST_MS, SOON_MS, SEEN_MS, SHARE_APART = 50, 5, 3000, 0.9
local wanted, replica, id = tonumber(ARGV[3]), ARGV[4], ARGV[5]
if ARGV[6] == '1' and limit() < math.huge then pause(WINDOW_MS) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - WINDOW_MS)
local given = redis.call('ZCARD', KEYS[2])

s.replicas[replica] = now
local replicas, rank = 0, 0
for name, at in pairs(s.replicas) do
  if now - at > SEEN_MS then s.replicas[name] = nil
  else
    replicas = replicas + 1
    if name < replica then rank = rank + 1 end
  end
end

local own, others, before = s.waiting[replica], 0, 0
local hasWaited = own ~= nil
for name, one in pairs(s.waiting) do
  if now > one.due + TURN_LOST_MS then s.waiting[name] = nil
  elseif name ~= replica then
    others = others + 1
    if not own or one.number < own.number then before = before + 1 end
  end
end

-- Replicas that wait get one permit at a time. Of turns that were missed, only one can still be used.
local function apart() return WINDOW_MS / limit() * SHARE_APART end
local function nextAt() return math.max(s.nextAt, now - apart()) end
local function available()
  local room = limit() - given
  if now < s.pausedUntil or room <= before then return 0 end
  if not hasWaited and others == 0 then return math.min(wanted, room) end
  return now >= nextAt() + before * apart() and 1 or 0
end

local taken, wait = 0, 0
if wanted >= 0 then s.waiting[replica] = nil end
if wanted > 0 then
  taken = available()
  local isHeldBack = taken < wanted and limit() <= given + taken and now >= s.pausedUntil
  if isHeldBack and raise() then taken = available() end
  if taken > 0 then s.nextAt = nextAt() + apart() end
  for i = 1, taken do redis.call('ZADD', KEYS[2], now, id .. i) end
  redis.call('PEXPIRE', KEYS[2], 2 * WINDOW_MS)
end
if taken < wanted then
  if taken > 0 or not own then
    s.number = s.number + 1
    own, before = { number = s.number }, others
  end
  local all, due = given + taken, math.max(now + SOON_MS, s.pausedUntil, math.ceil(nextAt() + before * apart()))
  -- This many permits must be older than a second before there is room for this replica.
  local ends = math.min(all, all + before + 1 - limit())
  if ends > 0 then
    local oldest = redis.call('ZRANGE', KEYS[2], ends - 1, ends - 1, 'WITHSCORES')
    due = math.max(due, oldest[2] + WINDOW_MS)
  end
  own.due, wait = due, due - now
  s.waiting[replica] = own
end
save()
local isAtOnce = not hasWaited and others == 0 and 1 or 0
local function shown(value) return value and value < math.huge and value or 0 end
return { taken, now, given, wait, shown(limit()), shown(s.limit), replicas, rank, isAtOnce }`,
  'allow-oom',
);

/** Further ARGV: `at` and `earlier` of the permit, how long nothing is sent in ms. */
export const REFUSED = script(
  `${BEGIN}
pause(tonumber(ARGV[5]))
noteRefused(tonumber(ARGV[3]), tonumber(ARGV[4]))
save()`,
  'allow-oom',
);

/**
 * KEYS: state, given. ARGV: id of the permit, 1 if it is not to be added again once it is forgotten. The upstream may
 * count its request as late as now, so it counts from now here, too.
 */
export const SENT = script(
  `
${TIME}
redis.call('ZADD', KEYS[2], ARGV[2] == '1' and 'XX' or 'GT', now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ${2 * SHARED_WINDOW_MS})`,
  'allow-oom',
);

/** KEYS: state, given. ARGV: id of the permit, channel on which replicas that wait are told. */
export const GIVE_BACK = script(
  `
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return end
local stored = redis.call('GET', KEYS[1])
if stored and next(cjson.decode(stored).waiting) then redis.call('PUBLISH', ARGV[2], 'room') end`,
  'allow-oom',
);
