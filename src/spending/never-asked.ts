import { HOURS_PER_DAY } from './calendar.ts';
import { type Costs, neverAsked } from './cost-curve.ts';

/** What questions that were never asked before will cost: no stretch saves it, so units are reserved for them. */

/**
 * Exponent by which never-asked questions grow: before it is measured, and its minimum. Their number grows like a power
 * of time (Heaps' law): at the start nearly everything is new, later less and less.
 */
const USUAL_POWER = 0.6;
const MIN_POWER = 0.2;
/** Minimum time assumed to have passed, in hours: at first, clients ask for all that a page or a list has. */
const MIN_PASSED_HOURS = HOURS_PER_DAY / 2;
/** How many hours must have passed to measure the exponent: with fewer, a day's rhythm would be taken for growth. */
const MEASURABLE_AFTER_HOURS = 2 * HOURS_PER_DAY;

/** Returns the units that questions never asked before are expected to cost in the coming hours. */
export function forecastNeverAsked(
  rows: ReadonlyMap<number, Costs>,
  until: number,
  observedHours: number,
  comingHours: number,
): number {
  const first = Math.min(...rows.keys());
  const passed = Math.max(MIN_PASSED_HOURS, Math.min(observedHours, until - first + 1));
  const middle = until - passed / 2;
  let total = 0;
  let early = 0;
  for (const [hour, row] of rows) {
    total += neverAsked(row);
    if (hour < middle) early += neverAsked(row);
  }
  if (total === 0) return 0;
  return total * (((passed + comingHours) / passed) ** powerOf(total, early, passed) - 1);
}

function powerOf(total: number, early: number, passed: number): number {
  if (passed < MEASURABLE_AFTER_HOURS || early === 0) return USUAL_POWER;
  return Math.min(1, Math.max(MIN_POWER, Math.log2(total / early)));
}

/**
 * Returns the units reserved for requests that no stretch saves: as many as expected, and four standard deviations. The
 * reserve shrinks to nothing at the month's end.
 */
export const reserveFor = (expected: number): number => expected + 4 * Math.sqrt(expected);
