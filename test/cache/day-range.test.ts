import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CutShort } from '../../src/cache/cached.ts';
import { createDayRange } from '../../src/cache/day-range.ts';
import { createStore } from '../../src/cache/store.ts';
import type { Span } from '../../src/time.ts';
import { MarketError } from '../../src/upstream/errors.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { upstreamOf } from './upstream.ts';
import { daysOf, LAST_DAY, runsOf, span, spans } from './days.ts';
import { unstretched } from './unstretched.ts';

/** Days expire ten ticks after they were requested; every day has one record, new at each tick. */
const TTL = 10;

interface Row {
  day: number;
  /** When the upstream gave it. */
  tick: number;
}

function answerOf(records: Row[], retrievedAt: number, total: number) {
  const asOf = new Date(retrievedAt).toISOString();
  const stated = { license: null, upstreamCached: null, timezone: null, timestamp: null };
  const origin = { source: 'test', asOf, retrievedAt, ...stated };
  const cutShort = total > records.length;
  return { origin, records, cutShort, total, bytes: records.length * 100, warnings: [] };
}

const longSpan = fc
  .tuple(fc.nat(500), fc.oneof(fc.nat(12), fc.nat(500)))
  .map(([start, more]) => ({ start, end: start + more }));
const question = fc.record({
  wanted: longSpan,
  prefetch: fc.option(longSpan, { nil: undefined }),
});

/** Rounds of requests: the widened one, one for each length that is usually allowed, and the gaps one by one. */
const MAX_ROUNDS = 6;

interface World {
  prefetch?: Span | undefined;
  maxBytes?: number;
}

/** A day range over an upstream in memory; `world` may be changed while it runs. */
function open({ prefetch, maxBytes = 1e6 }: World = {}) {
  const world = { now: 0, prefetch, pageSize: Infinity, isDown: false, longest: Infinity };
  const asked: Span[] = [];
  const inFlight = new Set<Span>();
  let isClashing = false;
  const range = createDayRange({
    dayAt: () => 0,
    namespace: createStore(1e9).namespace(),
    monotonic: () => world.now,
    aging: unstretched(() => world.now),
    now: () => world.now,
    maxBytes,
    bytesPerDay: 100,
    dayOf: ({ day }: Row) => day,
    freshFor: () => TTL,
    prefetch: () => world.prefetch,
    ...upstreamOf(fetch),
  });
  async function fetch(_key: string, wanted: Span) {
    asked.push({ start: wanted.start, end: wanted.end });
    if (asked.length > 1000) throw new Error('too many requests');
    const days = daysOf([wanted]);
    for (const other of inFlight) isClashing ||= !daysOf([other]).isDisjointFrom(days);
    inFlight.add(wanted);
    await new Promise(setImmediate);
    inFlight.delete(wanted);
    if (days.size > world.longest) throw new MarketError('BAD_USER_INPUT', { group: 'B' });
    if (world.isDown) throw new MarketError('UPSTREAM_UNAVAILABLE', { group: 'B' });
    const rows = [...days].map((day) => ({ day, tick: world.now }));
    return answerOf(rows.slice(0, world.pageSize), world.now, rows.length);
  }
  const begin = () => startOperation({ maxRequests: 100, deadline: Infinity });
  const ask = (wanted: readonly Span[]) => range.load('key', wanted, begin());
  return { world, asked, ask, isClashing: () => isClashing };
}

test('every answer has all days asked for, none older than its time to live', async () => {
  const step = fc.record({ pause: fc.nat(8), operations: fc.array(spans, { maxLength: 4 }) });
  const options = fc.record({
    prefetch: fc.option(span, { nil: undefined }),
    maxBytes: fc.nat(6000),
  });
  await fc.assert(
    fc.asyncProperty(options, fc.array(step, { maxLength: 8 }), async (given, moments) => {
      const { prefetch, maxBytes } = given;
      const { world, ask, isClashing } = open({ maxBytes, ...(prefetch && { prefetch }) });
      for (const { pause, operations } of moments) {
        world.now += pause;
        const results = await Promise.all(operations.map(ask));
        for (const [i, result] of results.flat().entries()) {
          if (result instanceof Error) throw result;
          const wanted = operations.flat()[i]!;
          expect(result.value.map(({ day }) => day)).toEqual([...daysOf([wanted])]);
          const oldest = Math.min(...result.value.map(({ tick }) => tick));
          expect(oldest).toBeGreaterThan(world.now - TTL);
          expect(result.origin.retrievedAt).toBeLessThanOrEqual(oldest);
          expect(result.stale).toBe(false);
        }
      }
      expect(isClashing()).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test('simultaneous operations are answered by one request if the limit allows', async () => {
  const wanted = fc.array(spans, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(wanted, async (operations) => {
      const { ask, asked } = open();
      await Promise.all(operations.map(ask));
      expect(asked).toHaveLength(Math.min(1, operations.flat().length));
    }),
    { numRuns: 300 },
  );
});

test('days that would expire before the next refresh are requested again along with others', async () => {
  const { world, asked, ask } = open({ prefetch: { start: 0, end: 30 }, maxBytes: 2000 });
  await ask([{ start: 20, end: 30 }]);
  world.now += 5;
  await ask([{ start: 0, end: 10 }]);
  world.now += 5;
  await ask([{ start: 20, end: 30 }]);
  expect(asked).toEqual([
    { start: 11, end: 30 },
    { start: 0, end: 19 },
    { start: 11, end: 30 },
  ]);
});

test('while the upstream is down, old days are served as stale, and unknown days fail', async () => {
  const { world, ask } = open();
  await ask([{ start: 0, end: 9 }]);
  world.now += TTL;
  world.isDown = true;
  const [old, unknown] = await ask([
    { start: 2, end: 4 },
    { start: 8, end: 12 },
  ]);
  expect(old).toMatchObject({ stale: true, value: [{ day: 2, tick: 0 }, { day: 3 }, { day: 4 }] });
  expect(unknown).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
});

test('a day missing from a truncated answer is not served from the cache as if it were fresh', async () => {
  const { world, ask } = open();
  await ask([{ start: 0, end: LAST_DAY }]);
  world.now += TTL;
  world.pageSize = 5;
  const [complete, cutOff] = await ask([
    { start: 0, end: 3 },
    { start: 2, end: 8 },
  ]);
  expect(complete).toMatchObject({ stale: false, value: [{ day: 0, tick: TTL }, {}, {}, {}] });
  expect(cutOff).toBeInstanceOf(CutShort);
});

test('if long requests are refused, only a query with too long a gap fails, after few requests', async () => {
  const given = fc.record({
    longest: fc.integer({ min: 1, max: 50 }),
    questions: fc.array(question, { minLength: 1, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ longest, questions }) => {
      const { world, asked, ask } = open();
      world.longest = longest;
      let cached = new Set<number>();
      for (const { wanted, prefetch } of questions) {
        world.prefetch = prefetch;
        const gaps = runsOf(daysOf([wanted]).difference(cached));
        const isTooLong = gaps.some(({ start, end }) => end - start >= longest);
        const before = asked.length;
        const [answer] = await ask([wanted]);
        const code = answer instanceof MarketError ? answer.code : 'none';
        expect(code).toBe(isTooLong ? 'BAD_USER_INPUT' : 'none');
        expect(asked.length - before).toBeLessThanOrEqual(MAX_ROUNDS * gaps.length);
        const answered = asked.filter((one) => daysOf([one]).size <= longest);
        cached = cached.union(daysOf(answered));
      }
    }),
    { numRuns: 300 },
  );
});
