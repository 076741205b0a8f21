import { createDayRange } from '../../src/cache/day-range.ts';
import { createFrequencies } from '../../src/cache/frequency.ts';
import { createLastValues } from '../../src/cache/last-values.ts';
import { createStore } from '../../src/cache/store.ts';
import { parseDay, type Span } from '../../src/time.ts';
import { MarketError } from '../../src/upstream/errors.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { originAt } from './days.ts';
import { upstreamOf } from './upstream.ts';
import { unstretched } from './unstretched.ts';

/** Last values over an upstream in memory. */

export const TODAY = parseDay('2026-11-20')!;

/**
 * The last values of a series of these days, over an upstream that refuses ranges longer than `longest`, or that
 * begin before `earliest`.
 */
export function open(given: readonly number[], longest = Infinity, earliest = -Infinity) {
  let accepted = longest;
  let wasStale = false;
  const world = { now: 0, isFast: true };
  const asked: Span[] = [];
  const frequencies = createFrequencies();
  const aging = unstretched(() => world.now);
  const range = createDayRange({
    dayAt: () => 0,
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
      if (wanted.end - wanted.start >= accepted || wanted.start < earliest)
        return Promise.reject(new MarketError('BAD_USER_INPUT', { group: 'A' }));
      asked.push(wanted);
      const records = given.filter((day) => day >= wanted.start && day <= wanted.end);
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
  const create = () =>
    createLastValues(range, {
      name: 'test',
      meter: 'macro',
      frequencies,
      usualFrequency: undefined,
      maxReach: (minDays, daysPerValue, most) =>
        world.isFast ? Math.max(minDays, Math.min(most, 8192 * daysPerValue)) : minDays,
      today: () => TODAY,
    });
  let answers = create();
  const operation = startOperation({ maxRequests: Infinity, deadline: Infinity });
  async function last(count: number, end = TODAY): Promise<readonly number[]> {
    const part = { count, end };
    const [found] = [answers.read('key', part, operation)];
    const answer = found ?? (await answers.load('key', [part], operation))[0]!;
    if (answer instanceof Error) throw answer;
    wasStale = answer.stale;
    return answer.value.toSorted((a, b) => a - b).slice(-count);
  }
  return {
    last,
    asked,
    world,
    frequencies,
    warnings: () => [...operation.warnings],
    isStale: () => wasStale,
    /** Keeps the cached values, as after a restart, but not what was learned about the upstream. */
    forget: () => void (answers = create()),
    limit: (length: number) => void (accepted = length),
  };
}

/** Returns `count` days, `step` apart, up to today. */
export const daysEvery = (step: number, count: number) =>
  Array.from({ length: count }, (_, i) => TODAY - step * (count - 1 - i));
