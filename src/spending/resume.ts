import { addCosts, type Costs, emptyCosts, refreshedUnits } from './cost-curve.ts';
import { solve } from './decision.ts';

/** How a process that starts finds out how far data are stretched. */

/** The rows of how many hours tell the current pressure. */
const RECENT_HOURS = 3;
/** How old they may be if those hours had no refresh, as at night or while data are stretched far, in hours. */
const MAX_AGE_HOURS = 72;
const ROUNDING = 1 + 1e-6;

/**
 * Returns the pressure of the last hours, from their rows alone: the one at which they would have cost what they did
 * cost. So a process that starts, or restarts, continues where the others are. Null if unknown.
 */
export function recentPressure(
  rows: ReadonlyMap<number, Costs>,
  hour: number,
  firstOfMonth: number,
): number | null {
  const costs = emptyCosts();
  const first = Math.max(hour - MAX_AGE_HOURS, firstOfMonth);
  const isEnough = (at: number) => at < hour - RECENT_HOURS && refreshedUnits(costs) > 0;
  for (let one = hour; one >= first && !isEnough(one); one -= 1)
    addCosts(costs, rows.get(one) ?? emptyCosts());
  const refreshed = refreshedUnits(costs);
  return refreshed > 0 ? solve(costs, refreshed * ROUNDING) : null;
}
