import { CLOSED_MS } from '../account.ts';
import { script } from './server.ts';
import { TIME } from './time.ts';
import { ADVANCE } from './advance-script.ts';
import { BALANCE } from './balance-script.ts';
import { BOOKING } from './counters-script.ts';
import { EPOCH } from './epoch-script.ts';

/**
 * How often replicas hand over a change: often enough for all of them to tell what they know within the first two
 * seconds of an epoch.
 */
export const HEARTBEAT_MS = 400;
/** How long closing waits for a server that is away: it may be back in a moment, and would miss what was spent. */
export const CLOSING_WAIT_MS = 1000;

/**
 * One change of one account (account.ts has the rules; test/shared/account-rules.test.ts compares both).
 *
 * Epochs, and `base` beside `since`, exist only because the server may lose its memory, or come back with an older one.
 * An epoch is the time from one start of the server (or flush) to the next. Each process says which epoch it knows the
 * account from, and what it has seen of it: `base`, what was used before this epoch, becomes the highest that any of
 * them has seen, and `since` counts what is used from then on. If there is a limit, nothing is given out for two
 * seconds, until all living replicas have told: reconnecting may take more than one.
 *
 * The same holds for counters, which are fields `base since` of a hash. A replica that knows an earlier epoch is first
 * asked what it has seen of those, with the reply `tell` and the epoch: no change of it is made before.
 *
 * KEYS: epoch, account, counters, and the days to which units are attributed. ARGV: the change as JSON (a purpose has
 * the index of its day's key and its field there); channel; name of the account. Returns `tell` and the epoch; or nothing,
 * for a change that came too late; or the account and what was applied of the change, both as JSON.
 */
export const APPLY = script(
  `
local EPOCH_BEGINS_MS, CLOSED_MS, DEAD_AFTER_MS, KEPT_MS = 2000, ${CLOSED_MS}, 120000, 6048000000
local LOOK_AGAIN_MS = 50
-- A living replica is heard more often than this, if only by a heartbeat.
local TOLD_AGAIN_MS = ${2.5 * HEARTBEAT_MS}
${TIME}
local change = cjson.decode(ARGV[1])
${BOOKING}

${EPOCH}
local stored = redis.call('GET', KEYS[2])
local epoch, begun = currentEpoch(not stored and change.seen and change.epoch)
local isNewHere, seen = change.epoch ~= epoch, change.seen
if isNewHere and seen and not change.counters then return { 'tell', epoch } end
local a = stored and cjson.decode(stored) or {
  base = 0, since = 0, lastSent = 0, balanceAt = 0, counted = 0, free = 0,
  isSpentElsewhere = false, closedUntil = 0, closedAt = 0, version = 0, writers = {},
  -- Its counters may still be here if only the account was lost: what they count is of an earlier epoch.
  epoch = '',
}
for _, name in ipairs({ 'lateUntil', 'lateAt', 'unstatedAt' }) do a[name] = a[name] or 0 end
local function used() return a.base + a.since end
local function add(units) a.since = a.since + units end
local function isClosed() return a.closedUntil > 0 end
local function laterClosed() return math.max(now + CLOSED_MS, math.abs(a.closedUntil) + 1) end

if a.epoch ~= epoch then
  a.base, a.since, a.epoch = used(), 0, epoch
  for _, field in ipairs(redis.call('HKEYS', KEYS[3])) do
    local before, since = counter(KEYS[3], field)
    setCounter(KEYS[3], field, before + since, 0)
  end
end
local own = a.writers[change.writer]
-- A packet of a connection that was given up has come late: nobody waits for an answer.
if own and change.number < own.number then return end
-- Units that the server had lost, and learns from this replica.
local restored = 0
if isNewHere and seen then
  restoreCounters(change.counters)
  if change.epoch ~= '' then restored = math.max(0, seen.used - a.base) end
  a.base = math.max(a.base, seen.used)
  for _, name in ipairs({ 'lastSent', 'version', 'closedUntil', 'closedAt', 'balanceAt', 'lateUntil', 'lateAt', 'unstatedAt' }) do
    a[name] = math.max(a[name], seen[name] or 0)
  end
  for _, name in ipairs({ 'counted', 'free' }) do a[name] = math.max(a[name], seen.timeouts[name]) end
  a.total = math.max(a.total or seen.total or 0, seen.total or 0)
  if a.total == 0 then a.total = nil end
  a.remaining = a.remaining and seen.remaining and math.min(a.remaining, seen.remaining)
    or a.remaining or seen.remaining
  a.isSpentElsewhere = a.isSpentElsewhere or seen.isSpentElsewhere
  -- The comparison was made when less was known than now.
  a.compared = nil
end
readCounters(a, isNewHere)

local isBeginning = now < begun + EPOCH_BEGINS_MS
local underWay, isAlone, isAllTold = change.underWay, true, not isBeginning
${BALANCE}
${ADVANCE}
for name, writer in pairs(a.writers) do
  if name ~= change.writer then
    if now - writer.at < DEAD_AFTER_MS then
      underWay = underWay + writer.underWay
      isAlone = false
      -- It may have spent since.
      if now - writer.at > TOLD_AGAIN_MS and not writer.isLast then isAllTold = false end
    end
  end
end

local function take(requests, cost)
  if isClosed() then
    local waitMs = a.closedUntil - now
    if change.look ~= a.closedUntil or (waitMs > 0 and waitMs <= 2 * CLOSED_MS) then return 0 end
    requests = math.min(requests, 1)
  end
  local room = change.limit and math.floor((left() - heldByOthers) / cost) or requests
  local taken = math.max(0, math.min(requests, room))
  if isClosed() and taken > 0 then a.closedUntil = laterClosed() end
  add(taken * cost)
  a.lastSent = a.lastSent + taken
  local lateMs = a.lateUntil - now
  if lateMs > 0 and lateMs <= MAY_BE_CHARGED_MS then a.lateAt = a.lastSent end
  return taken
end

-- Cost of the cheapest request that gets nothing now, but might get units later.
local missing
local function miss(cost) missing = math.min(missing or cost, cost) end
local function takeFor(wanted)
  local cost = wanted.cost
  local most = math.min(wanted.requests, paidByBalance(cost))
  for _, budget in ipairs(wanted.purpose.budgets) do
    local before, since = counter(KEYS[3], budget.field)
    counters[budget.field] = before + since
    most = math.max(0, math.min(most, math.floor((budget.limit - before - since) / cost)))
  end
  local isBounded = change.limit or #wanted.purpose.budgets > 0
  if isBeginning and isBounded then
    if most > 0 then miss(cost) end
    return 0
  end
  local taken = take(most, cost)
  if taken < most then miss(cost) end
  underWay = underWay + taken
  book(wanted.purpose, taken * cost)
  return taken
end

local taken, shares, elsewhere, before = 0, {}, 0, stored and used() or -1
local advance, held, statedBy = 0, change.held or 0, false
local heldBefore = own and heldBy(own) or 0
if own and own.number == change.number then
  taken, shares, advance, held = own.taken, own.shares or {}, own.advance, heldBy(own)
else
  for _, ended in ipairs(change.ended) do
    statedBy = noteEnd(ended)
  end
  local late = 0
  for _, spent in ipairs(change.spent) do
    late = late + spent.requests * spent.cost
    add(spent.requests * spent.cost)
    book(spent.purpose, spent.requests * spent.cost)
  end
  if late > 0 then a.compared, a.shortSince = comparedAnew(late), nil end
  if statedBy and underWay == 0 and isAllTold then elsewhere = compareWithBalance(statedBy) end
  for i, wanted in ipairs(change.take) do
    shares[i] = takeFor(wanted)
    taken = taken + shares[i]
  end
  if change.limit and not isBeginning and not change.isLast and not isClosed() then advance = grant() end
end
a.writers[change.writer] = {
  number = change.number, taken = taken, shares = shares,
  underWay = change.underWay + taken, at = now,
  advance = advance, held = math.max(held, advance), isLast = change.isLast or nil, epoch = epoch,
}

local wait
if missing and not isClosed() then
  if isBeginning then wait = begun + EPOCH_BEGINS_MS - now
  elseif heldByLiving > 0 and change.limit and change.limit - used() - setAside >= missing then
    wait, a.missedAt = LOOK_AGAIN_MS, now
  end
end

a.version, a.bookings = a.version + 1, bookingsOf(a)
redis.call('SET', KEYS[2], cjson.encode(a), 'PX', KEPT_MS)
local shown = cjson.encode({
  epoch = epoch, version = a.version, used = used(), lastSent = a.lastSent, remaining = a.remaining,
  balanceAt = a.balanceAt, total = a.total, compared = a.compared, timeouts = { counted = a.counted, free = a.free },
  lateUntil = a.lateUntil, lateAt = a.lateAt, unstatedAt = a.unstatedAt,
  isSpentElsewhere = a.isSpentElsewhere, shortSince = a.shortSince, closedUntil = a.closedUntil, closedAt = a.closedAt,
  setAside = setAside, held = heldByAll(), counters = counters, bookings = a.bookings,
})
local isNews = used() ~= before or #change.ended > 0 or heldBy(a.writers[change.writer]) ~= heldBefore
if isNews then redis.call('PUBLISH', ARGV[2], ARGV[3] .. ' ' .. shown) end
local told = {
  taken = shares, elsewhere = elsewhere, advance = advance, waitMs = wait, restored = restored, isBeginning = isBeginning,
}
return { shown, cjson.encode(told) }`,
  'allow-oom',
);
