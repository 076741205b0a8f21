import * as fc from 'fast-check';
import { formatDay, parseDay } from '../../src/time.ts';
import { open } from '../harness.ts';

/** A gateway whose upstream has the values that a test gives it, for each pair and each series. */

export interface Value {
  date: string;
  value: number;
}

const PAST_EVERY_TTL_MS = 25 * 3_600_000;

export async function openWithValues() {
  const bench = await open();
  let values: readonly Value[] = [];
  bench.sandbox.fault({
    kind: 'rewrite',
    group: 'A',
    rewrite(body, path) {
      const [, start, end] = /start=([\d-]+)&end=([\d-]+)/.exec(path) ?? [];
      if (start === undefined || end === undefined) return body;
      return {
        ...Object(body),
        data: values.filter(({ date }) => date >= start && date <= end),
      };
    },
  });
  return {
    ...bench,
    /** Gives the upstream these values, and lets everything that is cached expire. */
    setValues(given: readonly Value[]): void {
      values = given;
      bench.clock.advance(PAST_EVERY_TTL_MS);
    },
  };
}

const FIRST = parseDay('1999-12-20')!;
const LAST = parseDay('2004-03-10')!;

/** A range across the edges of months, quarters and years, and a leap day. */
export const RANGE: [start: string, end: string] = [formatDay(FIRST), formatDay(LAST)];

const value = fc.oneof(
  fc.integer({ min: -500, max: 500 }).map((n) => n / 100),
  fc.integer({ min: 1, max: 3 }),
  fc.double({ min: 0.001, max: 1000, noNaN: true }),
);

/** Values on days anywhere in the range: one, runs of days, or a few in a year. */
export const someValues: fc.Arbitrary<Value[]> = fc
  .tuple(fc.nat(LAST - FIRST), fc.constantFrom(1, 3, 40, 400), fc.array(fc.nat(99)))
  .chain(([from, most, steps]) => {
    let day = FIRST + from;
    const days = steps.map((step) => (day += 1 + (step % most))).filter((one) => one <= LAST);
    return fc.tuple(...days.map((one) => value.map((v) => ({ date: formatDay(one), value: v }))));
  })
  // Values that have come before outlast an answer without any.
  .filter((values) => values.length > 0);
