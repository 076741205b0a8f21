import { expect, test } from 'vitest';
import { createDayRange } from '../../src/cache/day-range.ts';
import { createStore } from '../../src/cache/store.ts';
import { UNSHARED_FLIGHT, type Shared } from '../../src/shared/shared.ts';
import type { Priority } from '../../src/spending/priority.ts';
import type { Span } from '../../src/time.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { originAt } from './days.ts';
import { unstretched } from './unstretched.ts';
import { type Stored, upstreamOf } from './upstream.ts';

/** Another process requests the days that this one waits for. */

const TTL = 10;
const LOW_PATIENCE = 8;

const answerFor = ({ start, end }: Span, tick: number) => ({
  origin: originAt(tick),
  records: Array.from({ length: end - start + 1 }, (_, i) => ({ day: start + i, tick })),
  cutShort: false,
  total: null,
  bytes: 100,
  warnings: [],
});

test('days that are fresh only for the client that started the request are requested again for another', async () => {
  const world = { now: 0, isFlying: false, claims: 0 };
  const over = Promise.withResolvers<void>();
  const stored: Stored<ReturnType<typeof answerFor>>[] = [];
  const asked: Span[] = [];
  const shared: Shared = {
    read: () => stored.splice(0),
    recent: () => [],
    claim() {
      world.claims += 1;
      return world.isFlying ? { isOurs: false, over: over.promise } : UNSHARED_FLIGHT;
    },
    note: () => undefined,
    notes: () => [],
    close: () => Promise.resolve(),
  };
  const range = createDayRange({
    dayAt: () => 0,
    namespace: createStore(1e6).namespace(),
    monotonic: () => world.now,
    aging: {
      ...unstretched(() => world.now),
      patience: (one) => (one === 'LOW' ? LOW_PATIENCE : 1),
    },
    now: () => world.now,
    maxBytes: 1e6,
    bytesPerDay: 100,
    dayOf: ({ day }: { day: number; tick: number }) => day,
    freshFor: () => TTL,
    prefetch: () => ({ start: 5, end: 6 }),
    ...upstreamOf((_key: string, wanted: Span) => {
      asked.push(wanted);
      return Promise.resolve(answerFor(wanted, world.now));
    }, shared),
  });
  const ask = (day: number, priority: Priority) => {
    const spender = { priority, name: () => '' };
    const operation = startOperation({ maxRequests: 100, deadline: Infinity, spender });
    return range.load('key', [{ start: day, end: day }], operation);
  };
  range.file('key', { start: 6, end: 6 }, answerFor({ start: 6, end: 6 }, 0), { now: 0, aging: 0 });
  world.now = 3 * TTL;
  world.isFlying = true;
  const low = ask(5, 'LOW');
  await expect.poll(() => world.claims).toBe(1);
  const normal = ask(6, 'NORMAL');
  const about = { status: 200, body: '', retrievedAt: world.now, number: 1, age: 0 };
  const days = { start: 5, end: 5 };
  stored.push({ ...about, asked: days, brought: answerFor(days, world.now) });
  world.isFlying = false;
  over.resolve();
  expect(await low).toMatchObject([{ value: [{ day: 5, tick: world.now }] }]);
  expect(await normal).toMatchObject([{ value: [{ day: 6, tick: world.now }], stale: false }]);
  expect(asked).toHaveLength(1);
});
