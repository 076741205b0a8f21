import { HOURS_OF_DAY } from './calendar.ts';
import { type Costs, neverAsked } from './cost-curve.ts';

/**
 * How many questions to come were never asked before. Their number grows like a power of time (Heaps' law):
 * at the start nearly everything is new, later less and less.
 */
const USUAL_POWER = 0.6;
const LEAST_POWER = 0.2;
/** A first hour is no measure: who starts asks for all that a page or a list has. */
const LEAST_HOURS = HOURS_OF_DAY / 2;
/** The power is measured once so many hours are known; a day's rhythm would be taken for growth before. */
const MEASURED_AFTER = 2 * HOURS_OF_DAY;

/** Expected units in the coming hours. */
export function forecastNeverAsked(
  rows: ReadonlyMap<number, Costs>,
  until: number,
  observedHours: number,
  comingHours: number,
): number {
  const first = Math.min(...rows.keys());
  const passed = Math.max(LEAST_HOURS, Math.min(observedHours, until - first + 1));
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
  if (passed < MEASURED_AFTER || early === 0) return USUAL_POWER;
  return Math.min(1, Math.max(LEAST_POWER, Math.log2(total / early)));
}

/**
 * What is kept for requests that no stretch saves: as many as expected, and what chance may add. It shrinks to
 * nothing at the month's end.
 */
export const reserveFor = (expected: number): number => expected + 4 * Math.sqrt(expected);
