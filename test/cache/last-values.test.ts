import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDayRange } from '../../src/cache/day-range.ts';
import { createFrequencies } from '../../src/cache/frequency.ts';
import { createLastValues } from '../../src/cache/last-values.ts';
import { MAX_DAYS } from '../../src/cache/spans.ts';
import { createStore } from '../../src/cache/store.ts';
import { unstretched } from '../../src/spending/lifetimes.ts';
import { formatDay, parseDay, type Span } from '../../src/time.ts';
import { MarketError } from '../../src/upstream/errors.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { originAt } from './days.ts';
import { upstreamOf } from './upstream.ts';

const TODAY = parseDay('2026-11-20')!;

/** The last values of a series of these days, over an upstream that takes no longer ranges than `longest`. */
function open(days: readonly number[], longest = Infinity) {
  const world = { now: 0 };
  const asked: Span[] = [];
  const frequencies = createFrequencies();
  const aging = unstretched(() => world.now);
  const range = createDayRange({
    namespace: createStore(1e9).namespace(),
    monotonic: () => world.now,
    aging,
    now: () => world.now,
    maxBytes: 524_288,
    bytesPerDay: 64,
    dayOf: (day: number) => day,
    freshFor: () => 10,
    prefetch: () => ({ start: TODAY - 366, end: TODAY }),
    onFiled: (id, all) => frequencies.note(id, all),
    ...upstreamOf((_key: string, wanted: Span) => {
      if (wanted.end - wanted.start >= longest)
        return Promise.reject(new MarketError('BAD_USER_INPUT', { group: 'A' }));
      asked.push(wanted);
      const records = days.filter((day) => day >= wanted.start && day <= wanted.end);
      const bytes = records.length * 40;
      return Promise.resolve({
        origin: originAt(world.now),
        records,
        cutShort: false,
        total: null,
        bytes,
        warnings: [],
      });
    }),
  });
  const answers = createLastValues(range, {
    name: 'test',
    meter: 'macro',
    frequencies,
    usual: undefined,
    maxReach: () => 8192,
    today: () => TODAY,
  });
  const operation = startOperation({ maxRequests: Infinity, deadline: Infinity });
  async function last(count: number, end = TODAY): Promise<readonly number[]> {
    const part = { count, end };
    const [found] = [answers.read('key', part, operation)];
    const answer = found ?? (await answers.load('key', [part], operation))[0]!;
    if (answer instanceof Error) throw answer;
    return answer.value.toSorted((a, b) => a - b).slice(-count);
  }
  return { last, asked, world, frequencies };
}

/** Days of a series in some rhythm, with holes, that begins and may end anywhere. */
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

test('the last values are the last values, for two requests at most', async () => {
  const isRight = fc.asyncProperty(
    series,
    fc.array(question, { minLength: 1, maxLength: 6 }),
    async (days, questions) => {
      const { last, asked, world } = open(days);
      for (const { count, back, pause } of questions) {
        world.now += pause;
        const before = asked.length;
        // With an end in the future, what lies too far back of it is not looked for.
        const first = TODAY - MAX_DAYS + 1 + Math.max(0, -back);
        const wanted = days.filter((day) => day >= first && day <= TODAY - back).slice(-count);
        expect(await last(count, TODAY - back)).toEqual(wanted);
        expect(asked.length - before).toBeLessThanOrEqual(2);
        // The same again, while all is fresh.
        await last(count, TODAY - back);
        expect(asked.length - before).toBeLessThanOrEqual(2);
      }
    },
  );
  await fc.assert(isRight, { numRuns: 150 });
});

const every = (step: number, count: number) =>
  Array.from({ length: count }, (_, i) => TODAY - step * (count - 1 - i));

test.each([
  ['yearly', 365, 12, 'YEARLY', 1],
  ['quarterly', 91, 40, 'QUARTERLY', 1],
  ['monthly', 30, 120, 'MONTHLY', 1],
  ['weekly', 7, 500, 'WEEKLY', 1],
  ['daily', 1, 2000, 'DAILY', 1],
  ['of each fifteenth day', 15, 60, 'IRREGULAR', 1],
  ['yearly, of forty years', 365, 40, 'YEARLY', 2],
])('the values of a series that is %s take this many requests', async (...row) => {
  const [, step, count, frequency, requests] = row;
  const { last, asked, frequencies } = open(every(step, count + 5));
  expect(await last(count)).toEqual(every(step, count));
  expect(asked).toHaveLength(requests);
  expect(frequencies.of('key')).toBe(frequency);
});

test('too few values tell no frequency, and neither do days that nobody asked for', async () => {
  const { last, frequencies } = open([TODAY - 40, TODAY - 10]);
  await last(2);
  expect(frequencies.of('key')).toBeUndefined();
});

test.each([
  ['a year at a time', 366, 30, [3, 9]],
  ['until a year has none', 366, 500, [17, 20]],
] as const)(
  'where the upstream takes no longer range than a year it is asked %s',
  async (_how, longest, count, [least, most]) => {
    const days = every(30, 200);
    const { last, asked } = open(days, longest);
    expect(await last(count)).toEqual(days.slice(-count));
    expect(asked.length).toBeGreaterThanOrEqual(least);
    expect(asked.length).toBeLessThanOrEqual(most);
    for (const { start, end } of asked) expect(end - start).toBeLessThan(longest);
    const before = asked.length;
    expect(await last(count)).toEqual(days.slice(-count));
    expect([asked.length, formatDay(TODAY)]).toEqual([before, '2026-11-20']);
  },
);

test('a refusal of what is short enough is told', async () => {
  const { last } = open(every(30, 200), 0);
  await expect(last(5)).rejects.toThrow(MarketError);
});
