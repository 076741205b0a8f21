import { addCosts, type Costs, emptyCosts, refreshedUnits } from './cost-curve.ts';
import { solve } from './decision.ts';

/** Rows older than that say nothing of the pressure now. */
const RECENT_HOURS = 3;
const ROUNDING = 1 + 1e-6;

/**
 * The pressure of the last hours, from their rows alone: the one at which they would have cost what they did
 * cost. So a process that was started again, or anew, goes on where the others are. Null where nobody knows.
 */
export function recentPressure(
  rows: ReadonlyMap<number, Costs>,
  hour: number,
  firstOfMonth: number,
): number | null {
  const costs = emptyCosts();
  for (let one = Math.max(hour - RECENT_HOURS, firstOfMonth); one <= hour; one += 1)
    addCosts(costs, rows.get(one) ?? emptyCosts());
  const refreshed = refreshedUnits(costs);
  return refreshed > 0 ? solve(costs, refreshed * ROUNDING) : null;
}
