import { type Frequency, STEPS } from './frequency.ts';
import { MAX_DAYS } from './plan.ts';

/** How many days a request asks for to find the last values of a series. */

/**
 * How many days a request may reach back if `minDays` would do: more than these, and `most` at most, only if they arrive
 * hardly later. `daysPerValue`: the days from one value to the next; 1 if that is unknown, the least that it can be.
 */
export type MaxReach = (minDays: number, daysPerValue: number, most: number) => number;

/** An upstream that limits ranges usually accepts this many days. */
const YEAR_DAYS = 365;
/** Number of days without daily values, such as long holidays, that a request allows for. */
const PAUSE_DAYS = 15;
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
    return Math.max(minDays, maxReach(minDays, 1, daysFor(STEPS.YEARLY.mean)));
  }
  const { mean } = STEPS[frequency];
  if (frequency === 'DAILY') return maxReach(daysFor(mean) + PAUSE_DAYS, mean, YEAR_DAYS);
  // The others have so few values that all of them may arrive hardly later than the last ones.
  return maxReach(Math.max(YEAR_DAYS, daysFor(mean)), mean, MAX_DAYS);
}
