import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_DAYS } from '../../src/cache/plan.ts';
import { daysEvery, open, TODAY } from './last.ts';

/** Days of a series at some interval, with gaps, which may begin and end anywhere. */
const series = fc
  .record({
    step: fc.constantFrom(1, 3, 7, 30, 91, 365, 1000),
    from: fc.integer({ min: 0, max: MAX_DAYS - 1 }),
    until: fc.oneof(fc.constant(0), fc.nat(9000)),
    holes: fc.array(fc.nat(400), { maxLength: 30 }),
  })
  .map(({ step, from, until, holes }) => {
    const days: number[] = [];
    for (let day = TODAY - from, i = 0; day <= TODAY - until; day += step, i += 1)
      if (!holes.includes(i % 401)) days.push(day);
    return days;
  });

const question = fc.record({
  count: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 10_000 })),
  back: fc.oneof(fc.constant(0), fc.integer({ min: -400, max: 12_000 })),
  pause: fc.constantFrom(0, 0, 5, 20),
});

test('the last values are found with at most two requests', async () => {
  const isRight = fc.asyncProperty(
    series,
    fc.array(question, { minLength: 1, maxLength: 6 }),
    fc.boolean(),
    async (days, questions, isFast) => {
      const { last, asked, world } = open(days);
      world.isFast = isFast;
      for (const { count, back, pause } of questions) {
        world.now += pause;
        const before = asked.length;
        const wanted = days.filter((day) => day <= TODAY - back).slice(-count);
        // With an end in the future, values too far before it are not searched for, but may be cached.
        const first = TODAY - MAX_DAYS + 1 + Math.max(0, -back);
        const least = wanted.filter((day) => day >= first).length;
        const found = await last(count, TODAY - back);
        expect(found.length).toBeGreaterThanOrEqual(least);
        expect(found).toEqual(wanted.slice(wanted.length - found.length));
        expect(asked.length - before).toBeLessThanOrEqual(2);
        // The same again, while all is fresh.
        await last(count, TODAY - back);
        expect(asked.length - before).toBeLessThanOrEqual(2);
      }
    },
  );
  await fc.assert(isRight, { numRuns: 150 });
});

test.each([
  ['yearly', 365, 12, 'YEARLY', 1],
  ['quarterly', 91, 40, 'QUARTERLY', 1],
  ['monthly', 30, 120, 'MONTHLY', 1],
  ['weekly', 7, 500, 'WEEKLY', 1],
  ['daily', 1, 2000, 'DAILY', 1],
  ['of each fifteenth day', 15, 60, 'IRREGULAR', 1],
  ['yearly, of forty years', 365, 40, 'YEARLY', 2],
])(
  'the last values of a series that is %s (one every %i days, %i of them, %s) take %i request(s)',
  async (...row) => {
    const [, step, count, frequency, requests] = row;
    const { last, asked, frequencies } = open(daysEvery(step, count + 5));
    expect(await last(count)).toEqual(daysEvery(step, count));
    expect(asked).toHaveLength(requests);
    expect(frequencies.of('key')).toBe(frequency);
  },
);

test('cached days in the middle cause no third request', async () => {
  const { last, asked } = open(daysEvery(1, 1570));
  await last(1, TODAY - 368);
  // Slightly more than one request may ask for: the days requested before lie between two parts of it.
  expect(await last(9975)).toHaveLength(1570);
  expect(asked).toHaveLength(3);
});

test('too few values reveal no frequency', async () => {
  const { last, frequencies } = open([TODAY - 40, TODAY - 10]);
  await last(2);
  expect(frequencies.of('key')).toBeUndefined();
});
