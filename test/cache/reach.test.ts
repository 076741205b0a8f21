import { describe, expect, test } from 'vitest';
import type { Frequency } from '../../src/cache/frequency.ts';
import { type MaxReach, reachFor } from '../../src/cache/reach.ts';

/** How many days hold the last values of a series. */

const slow: MaxReach = (minDays) => minDays;
const fast: MaxReach = (minDays, _daysPerValue, most) => Math.max(minDays, most);
/** The frequencies, and the days from one value to the next. */
const REGULAR: readonly [Frequency, number][] = [
  ['DAILY', 7 / 5],
  ['WEEKLY', 7],
  ['MONTHLY', 365.25 / 12],
  ['QUARTERLY', 365.25 / 4],
  ['YEARLY', 365.25],
];

describe.each(REGULAR)('a series that is %s', (frequency, step) => {
  test.each([300, 1000])('has its last %i values in them, and few others', (count) => {
    const values = reachFor(count, frequency, slow) / step;
    expect(values).toBeGreaterThanOrEqual(count + 3);
    expect(values).toBeLessThanOrEqual(count * 1.25);
  });

  test('is asked for a year at least, unless daily values then arrive later', () => {
    expect(reachFor(1, frequency, fast)).toBeGreaterThanOrEqual(365);
    expect(reachFor(1, frequency, slow) < 30).toBe(frequency === 'DAILY');
  });
});

test.each([undefined, 'IRREGULAR'] as const)(
  'a series that is %s is taken to have a value a month, or a year if more days arrive hardly later',
  (frequency) => {
    expect(reachFor(20, frequency, slow)).toBe(23 * 31);
    expect(reachFor(20, frequency, () => 5000)).toBe(5000);
    expect(reachFor(20, frequency, fast)).toBe(23 * 366);
  },
);

test('a series with few values is asked for all of them if they arrive hardly later', () => {
  for (const [frequency] of REGULAR)
    expect(reachFor(20, frequency, fast)).toBe(frequency === 'DAILY' ? 365 : 36_600);
});
