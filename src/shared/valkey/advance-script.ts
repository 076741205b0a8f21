/**
 * For the script of a change (units-script.ts), which knows the account, the change, and `now`: what
 * is granted in advance, for while the server is away. It is a small share of what is left.
 *
 * An answer may be lost: so what a process could spend by an earlier one, `change.held`, stays set aside
 * until it says that it has got a later one.
 */
export const ADVANCE = `
local ADVANCE, ADVANCE_SHARE, ALIVE_MS = 5, 0.01, 2000
local function heldBy(writer) return writer.held or writer.advance end
local heldByOthers, heldByLiving, living = 0, 0, 1
for name, writer in pairs(a.writers) do
  if name ~= change.writer then
    -- A clock that went back makes nobody live longer.
    writer.at = math.min(writer.at, now)
    heldByOthers = heldByOthers + heldBy(writer)
    if now - writer.at < ALIVE_MS then living, heldByLiving = living + 1, heldByLiving + heldBy(writer) end
  end
end
local function grant()
  local most = (change.limit - used()) * ADVANCE_SHARE
  return math.max(0, math.min(ADVANCE, math.floor(most / living), math.floor(most) - heldByOthers))
end`;
