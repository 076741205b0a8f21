/**
 * For the script of a change (units-script.ts), which knows the account, the change, whether the process is known (`own`),
 * and `now`: what is granted in advance, for while the server is away. It is a small share of what is left.
 *
 * An answer may be lost: so what a process could spend by an earlier one, `change.held`, stays set aside
 * until it says that it has got a later one.
 *
 * A silent process is dead, or cut off and spends: nobody can tell. So what it holds stays set aside, but after an hour
 * it no longer lessens what others are granted: it is in `abandoned` then. A process that is back takes it from there.
 */
export const ADVANCE = `
local ADVANCE, ADVANCE_SHARE, ALIVE_MS = 5, 0.01, 2000
local function heldBy(writer) return writer.held or writer.advance end
if not own and not isNewHere then a.abandoned = math.max(0, a.abandoned - (change.held or 0)) end
local heldByOthers, heldByLiving, living = 0, 0, 1
for name, writer in pairs(a.writers) do
  if name ~= change.writer then
    -- A clock that went back makes nobody live longer.
    writer.at = math.min(writer.at, now)
    if now - writer.at > FORGOTTEN_AFTER_MS then
      a.abandoned = a.abandoned + heldBy(writer)
      a.writers[name] = nil
    else
      heldByOthers = heldByOthers + heldBy(writer)
      if now - writer.at < ALIVE_MS then living, heldByLiving = living + 1, heldByLiving + heldBy(writer) end
    end
  end
end
-- Nobody gets it, and waiting for it is in vain. The living give back what they hold when little is left.
local setAside = a.abandoned + heldByOthers - heldByLiving
local function left() return change.limit - used() - a.abandoned end
local function grant()
  local most = left() * ADVANCE_SHARE
  return math.max(0, math.min(ADVANCE, math.floor(most / living), math.floor(most) - heldByOthers))
end`;
