/**
 * Part of the script that makes a change (units-script.ts), which knows the account, the change and `now`: what is
 * granted in advance, to be spent while the server is away. It is a small share of what is left.
 *
 * A reply may be lost, so what a process could spend by an earlier one, `change.held`, stays set aside until it reports
 * that it has got a later one.
 *
 * A silent process is dead, or is cut off and spends: nobody can tell which. So what it holds stays set aside, and its
 * last change, which it may hand over again, stays known. After an hour, what it holds counts as `abandoned` until it
 * is back, and no longer lessens what others are granted. A process that holds nothing is forgotten after a day.
 *
 * If the server has lost what it had granted, it learns that from what others have seen, until the process itself
 * reports in the new epoch. One that was stopped in order holds nothing.
 */
export const ADVANCE = `
local ADVANCE, ADVANCE_SHARE, ALIVE_MS, ABANDONED_AFTER_MS, FORGOTTEN_AFTER_MS = 5, 0.01, 2000, 3600000, 86400000
local function heldBy(writer) return writer.held or writer.advance end
if isNewHere and seen then
  for name, units in pairs(seen.held or {}) do
    local writer = a.writers[name] or { number = 0, taken = 0, shares = {}, underWay = 0, at = now, advance = 0 }
    if writer.epoch ~= epoch and not writer.isLast then writer.held = math.max(heldBy(writer), units) end
    a.writers[name] = writer
  end
end
local abandoned, heldByOthers, heldByLiving, living = 0, 0, 0, 1
for name, writer in pairs(a.writers) do
  if name ~= change.writer then
    -- If the clock went back, nobody counts as alive for longer.
    writer.at = math.min(writer.at, now)
    local held, silentMs = heldBy(writer), now - writer.at
    if silentMs > ABANDONED_AFTER_MS then
      abandoned = abandoned + held
      if held == 0 and silentMs > FORGOTTEN_AFTER_MS then a.writers[name] = nil end
    else
      heldByOthers = heldByOthers + held
      if silentMs < ALIVE_MS then living, heldByLiving = living + 1, heldByLiving + held end
    end
  end
end
-- Nobody gets these units, so waiting for them is in vain. Living processes give theirs back when little is left.
local setAside = abandoned + heldByOthers - heldByLiving
local function heldByAll()
  local all = {}
  for name, writer in pairs(a.writers) do if heldBy(writer) > 0 then all[name] = heldBy(writer) end end
  return all
end
local function left() return change.limit - used() - abandoned end
local function grant()
  -- While a request waits for what others hold, they are granted nothing more, and so give theirs back.
  if math.abs(now - (a.missedAt or 0)) < ALIVE_MS then return 0 end
  local most = left() * ADVANCE_SHARE
  return math.max(0, math.min(ADVANCE, math.floor(most / living), math.floor(most) - heldByOthers))
end`;
