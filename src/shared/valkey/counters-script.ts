import { DAY_MS } from '../../time.ts';
import { ATTRIBUTION_KEPT_DAYS, COUNTER_GRACE_DAYS } from '../attribution.ts';

/** What clients have spent, as kept on a server: counters for their budgets, and who has spent what on each day. */

/** A counter is two numbers: what was counted before this epoch, and since. */
const COUNTER = `
local function counter(key, field)
  local before, since = string.match(redis.call('HGET', key, field) or '', '^(%d+) (-?%d+)$')
  return tonumber(before or 0), tonumber(since or 0)
end
local function setCounter(key, field, before, since)
  redis.call('HSET', key, field, string.format('%.0f %.0f', before, since))
end`;

/**
 * Part of the script that makes a change (units-script.ts), which has the constant KEPT_MS: attributes units to their
 * purpose, counts them against budgets, and takes over what a replica has seen of the counters before this epoch.
 *
 * Changes of counters are numbered, in `bookings` of the account. News may be lost, so a replica that has missed a
 * change notices it by the number, and is told all counters.
 */
export const BOOKING = `${COUNTER}
local ATTRIBUTED_MS = ${ATTRIBUTION_KEPT_DAYS * DAY_MS}
local DAY_MS, KEPT_DAYS = ${DAY_MS}, ${COUNTER_GRACE_DAYS}
local function whole(value) return string.format('%.0f', value) end
-- Counters that were looked at, as they are now; and whether any was changed.
local counters, isBooked = {}, false
local function isBehind(account)
  return change.bookings and change.bookings ~= (account.bookings or 0)
end
local function bookingsOf(account)
  return (account.bookings or 0) + (isBooked and 1 or 0)
end
local function dayIn(field) return tonumber(string.match(field, ' %d+%-%d+%-(%d+)$')) end
-- Once a day. A day must be over both by the server's clock and by what is counted: either may be wrong.
local function forgetDays(account)
  local today = math.floor((now - (tonumber(change.monthBegan) or now)) / DAY_MS) + 1
  if account.swept == today then return end
  account.swept = today
  local fields, latest = redis.call('HKEYS', KEYS[3]), 0
  for _, field in ipairs(fields) do latest = math.max(latest, dayIn(field) or 0) end
  for _, field in ipairs(fields) do
    local day = dayIn(field)
    if day and day < math.min(today, latest) - KEPT_DAYS then redis.call('HDEL', KEYS[3], field) end
  end
end
-- Reads all counters for a replica that knows none, or not the latest.
local function readCounters(account, isNewHere)
  forgetDays(account)
  if not isNewHere and not isBehind(account) then return end
  for _, field in ipairs(redis.call('HKEYS', KEYS[3])) do
    local before, since = counter(KEYS[3], field)
    counters[field] = before + since
  end
end
local function restoreCounters(seen)
  for field, units in pairs(seen) do
    local before, since = counter(KEYS[3], field)
    setCounter(KEYS[3], field, math.max(before, units), since)
    isBooked = isBooked or units > before
  end
  redis.call('PEXPIRE', KEYS[3], whole(KEPT_MS))
end
local function book(purpose, units)
  if units == 0 then return end
  redis.call('HINCRBY', KEYS[purpose.key], purpose.field, whole(units))
  redis.call('PEXPIRE', KEYS[purpose.key], whole(ATTRIBUTED_MS))
  for _, budget in ipairs(purpose.budgets) do
    local before, since = counter(KEYS[3], budget.field)
    setCounter(KEYS[3], budget.field, before, since + units)
    isBooked = true
    counters[budget.field] = before + since + units
  end
  if #purpose.budgets > 0 then redis.call('PEXPIRE', KEYS[3], whole(KEPT_MS)) end
end`;
