import { type Frequency, STEPS } from './frequency.ts';

/** How many days a request asks for to find the last values of a series. */

/**
 * How many days a request may reach back if `minDays` would do: more than these only if they arrive hardly later.
 * `daysPerValue`: the days from one value to the next; 1 if that is unknown, the least that it can be.
 */
export type MaxReach = (minDays: number, daysPerValue: number) => number;

/**
 * Minimum number of days that a request reaches back if the frequency is known: an upstream that limits ranges usually
 * accepts this many.
 */
const MIN_REACH_DAYS = 365;
/** How many of the last values may not be published yet. */
const UNPUBLISHED_VALUES = 3;

/** How many days hold the last `count` values, erring on the high side. */
export function reachFor(
  count: number,
  frequency: Frequency | undefined,
  maxReach: MaxReach,
): number {
  const values = count + UNPUBLISHED_VALUES;
  const daysFor = (daysPerValue: number) => Math.ceil(values * daysPerValue);
  if (frequency === undefined || frequency === 'IRREGULAR') {
    // Most such series have a value a month. Requests for more than a year are widened to ten years, others to one.
    const minDays = Math.max(STEPS.YEARLY.mean + 1, daysFor(STEPS.MONTHLY.mean));
    return Math.max(minDays, Math.min(maxReach(minDays, 1), daysFor(STEPS.YEARLY.mean)));
  }
  const { mean } = STEPS[frequency];
  const minDays = Math.max(MIN_REACH_DAYS, daysFor(mean));
  // The others have so few values that all of them may arrive hardly later than the last ones.
  return frequency === 'DAILY' ? minDays : maxReach(minDays, mean);
}
