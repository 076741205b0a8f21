import { addCosts, type Costs, emptyCosts, refreshedUnits } from './cost-curve.ts';
import { solve } from './decision.ts';

/** How old rows may be to tell the current pressure, in hours. */
const RECENT_HOURS = 3;
/** The same while there are none: at night, and while data are stretched far, many hours pass without a refresh. */
const MAX_AGE_HOURS = 72;
const ROUNDING = 1 + 1e-6;

/**
 * Returns the pressure of the last hours that had refreshes, from their rows alone: the one at which they would have cost what they did
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
