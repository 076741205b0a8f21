import { MAY_BE_CHARGED_MS } from '../account.ts';
import { MAX_COMPARED, SHORT_MS } from '../stated-balance.ts';

/**
 * Part of the script that makes a change (units-script.ts): how a request ends, and what the balance in its answer
 * tells, by the rules of account.ts and stated-balance.ts. `a` is the account; `isAlone`: whether no other replica
 * counts in it. `noteEnd` returns the number of the request if its balance includes everything that counts as spent.
 */
export const BALANCE = `
local MAY_BE_CHARGED_MS, SHORT_MS = ${MAY_BE_CHARGED_MS}, ${SHORT_MS}
local function close()
  a.closedUntil, a.closedAt = laterClosed(), a.lastSent
  a.remaining, a.balanceAt = 0, a.lastSent
end
local function takeBalance(sentAs, remaining)
  if a.remaining and sentAs <= a.balanceAt and remaining >= a.remaining then return false end
  a.remaining, a.balanceAt = remaining, a.lastSent
  return true
end
local function paidByBalance(cost)
  if not a.remaining or isClosed() then return math.huge end
  local notIncluded = math.min(underWay, a.lastSent - a.balanceAt)
  local mayTry = a.remaining > 0 and notIncluded == 0 and math.abs(now - a.lateUntil) >= CLOSED_MS
  return math.max(mayTry and 1 or 0, math.floor((a.remaining - notIncluded) / cost))
end
local function showsUnits(ended)
  return not ended.exhausted and (ended.units > 0 or (ended.remaining or 0) > 0)
end
local function noteEnd(ended)
  local delta = ended.units - ended.reserved
  -- Perhaps it was counted before the server lost its memory of it: too much is better than too little.
  if change.isRepeated and (isNewHere or not own) then delta = math.max(0, delta) end
  add(delta)
  book(ended.purpose, delta)
  if not ended.remaining and (ended.timedOut or ended.units > 0) then a.unstatedAt = a.lastSent end
  if ended.timedOut then
    a.lateUntil, a.lateAt = now + MAY_BE_CHARGED_MS, a.lastSent
    local kind = ended.units > 0 and 'counted' or 'free'
    a[kind] = a[kind] + (ended.units > 0 and ended.units or ended.reserved)
  elseif showsUnits(ended) and ended.sentAs > a.closedAt and isClosed() then
    a.closedUntil, a.remaining = -a.closedUntil, nil
  end
  local isEmpty = ended.remaining and takeBalance(ended.sentAs, ended.remaining) and ended.remaining <= 0
  if isEmpty or ended.exhausted then close() end
  return ended.remaining and not ended.exhausted and ended.sentAs > a.unstatedAt and ended.sentAs
end
local function comparedAnew(late)
  if not a.compared or not a.total or a.isSpentElsewhere then return nil end
  return { total = a.total, counted = math.max(0, a.compared.counted - late) }
end
local function compareWithBalance(sentAs)
  if not a.remaining then return 0 end
  local total = used() + a.remaining
  if total > ${MAX_COMPARED} then return 0 end
  local before = a.compared or (a.total and not a.isSpentElsewhere and { total = a.total, counted = 0 })
  local more = total - (before and before.total or total)
  if (more > 0 or not before) and sentAs <= a.lateAt then return 0 end
  local free = a.isSpentElsewhere and 0 or a.free
  a.shortSince = more < -free and math.min(a.shortSince or now, now) or nil
  if a.shortSince and not isAlone and now - a.shortSince < SHORT_MS then return 0 end
  local units = 0
  if more < 0 then units = math.min(-more, free)
  elseif more <= a.counted - (before and before.counted or 0) then units = -more end
  a.counted, a.free = a.counted + units, a.free - units
  add(units)
  book(change.correction, units)
  a.compared = { total = total + units, counted = a.counted }
  a.total = math.max(total + units, a.total or total + units)
  if a.isSpentElsewhere then return 0 end
  local elsewhere = a.total - (total + units)
  a.isSpentElsewhere = elsewhere > 0
  return elsewhere
end`;
