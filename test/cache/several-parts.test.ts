import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { metadataOf } from '../../src/cache/cached.ts';
import { createDayRange } from '../../src/cache/day-range.ts';
import { createStore } from '../../src/cache/store.ts';
import { expiryFor } from '../../src/spending/lifetimes.ts';
import type { Span } from '../../src/time.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { originAt } from './days.ts';
import { unstretched } from './unstretched.ts';
import { upstreamOf } from './upstream.ts';

/** Until when values made of several parts are fresh for clients whose data are not stretched like those of others. */

const part = fc.record({ at: fc.nat(100), lifetime: fc.nat(100) }).map(({ at, lifetime }) => ({
  at,
  expiresAt: at + lifetime,
  origin: originAt(at),
  warnings: [],
}));
const parts = fc.array(part, { minLength: 1, maxLength: 4 });
const nested = fc.array(parts, { minLength: 1, maxLength: 4 });

test('for clients of any priority, a value is fresh until its first part expires for them', () => {
  fc.assert(
    fc.property(nested, fc.constantFrom(0.25, 1, 2, 8), (all, factor) => {
      const aging = { patience: () => factor };
      const whole = metadataOf(all.map(metadataOf));
      for (const priority of ['LOW', 'NORMAL', 'HIGH'] as const) {
        const first = Math.min(...all.flat().map((one) => expiryFor(one, priority, aging)));
        expect(expiryFor(whole, priority, aging)).toBe(first);
      }
    }),
    { numRuns: 1000 },
  );
});

/** Earlier days are settled. */
const FIRST_RECENT_DAY = 8;
const [SETTLED_TTL, RECENT_TTL] = [100, 10];
const PATIENCE = 8;

test('an answer with settled and recent days is fresh for a client of low priority only as long as the recent ones', async () => {
  let now = 0;
  const range = createDayRange({
    dayAt: () => 0,
    namespace: createStore(1e6).namespace(),
    monotonic: () => now,
    aging: { ...unstretched(() => now), patience: (one) => (one === 'LOW' ? PATIENCE : 1) },
    now: () => now,
    maxBytes: 0,
    dayOf: ({ day }: { day: number }) => day,
    freshFor: (day) => (day < FIRST_RECENT_DAY ? SETTLED_TTL : RECENT_TTL),
    prefetch: () => undefined,
    ...upstreamOf((_key: string, { start }: Span) => {
      const about = { total: null, bytes: 10, warnings: [], cutShort: false };
      return Promise.resolve({ origin: originAt(now), records: [{ day: start }], ...about });
    }),
  });
  const freshUntil = async () => {
    const spender = { priority: 'LOW', name: () => '' } as const;
    const operation = startOperation({ maxRequests: 100, deadline: Infinity, spender });
    await range.load('key', [{ start: 0, end: 9 }], operation);
    return operation.freshUntil;
  };
  expect(await freshUntil()).toBe(RECENT_TTL * PATIENCE);
  // The recent days are requested again shortly before the settled ones would expire for a client of normal priority.
  now = SETTLED_TTL - 5;
  expect(await freshUntil()).toBe(now + RECENT_TTL * PATIENCE);
});
