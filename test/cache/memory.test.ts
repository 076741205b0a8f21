import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createDayRange } from '../../src/cache/day-range.ts';
import { createSnapshot, type Held } from '../../src/cache/snapshot.ts';
import { upstreamOf } from './upstream.ts';
import type { Span } from '../../src/time.ts';
import { createStore } from '../../src/cache/store.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { originAt } from './days.ts';
import { unstretched } from './unstretched.ts';

/** Kept answers remember how to check their data, not the data themselves: replaced data are released. */

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Returns which objects are still in memory; a WeakRef holds its target until the end of the task. */
async function areAlive(refs: readonly WeakRef<object>[]): Promise<boolean[]> {
  await new Promise(setImmediate);
  if (typeof collect === 'function') collect();
  return refs.map((ref) => ref.deref() !== undefined);
}

const begin = () => startOperation({ maxRequests: 100, deadline: Infinity });

test('a version check tells whether a value has been replaced, without keeping it in memory', async () => {
  const namespace = createStore(1e6).namespace<object>();
  const refs = ['one', 'other'].map((name) => {
    const value = { name };
    namespace.set(name, value, 100);
    return new WeakRef<object>(value);
  });
  const checks = ['one', 'other'].map((name) => namespace.versionCheck(name));
  expect(checks.map((isCurrent) => isCurrent())).toEqual([true, true]);
  namespace.set('one', {}, 100);
  expect(checks.map((isCurrent) => isCurrent())).toEqual([false, true]);
  expect(await areAlive(refs)).toEqual([false, true]);
});

test('a snapshot that was used and replaced is released', async () => {
  let now = 0;
  const refs: WeakRef<object>[] = [];
  const snapshot = createSnapshot({
    namespace: createStore(1e6).namespace<Held<{ now: number }>>(),
    monotonic: () => now,
    aging: unstretched(() => now),
    now: () => now,
    ttl: 10,
    ...upstreamOf((_key: string, _asked: null) => {
      const value = { now };
      refs.push(new WeakRef(value));
      return Promise.resolve({ value, origin: originAt(now), bytes: 10, warnings: [] });
    }),
  });
  const use = async () => (await snapshot.load('key', begin())).isCurrent;
  const first = await use();
  now += 20;
  const second = await use();
  expect([first(), second()]).toEqual([false, true]);
  expect(await areAlive(refs)).toEqual([false, true]);
});

test('days that were used and replaced are released', async () => {
  let now = 0;
  const refs: WeakRef<object>[] = [];
  const range = createDayRange({
    dayAt: () => 0,
    namespace: createStore(1e6).namespace(),
    monotonic: () => now,
    aging: unstretched(() => now),
    now: () => now,
    maxBytes: 0,
    dayOf: ({ day }: { day: number }) => day,
    freshFor: () => 10,
    prefetch: () => undefined,
    ...upstreamOf((_key: string, { start }: Span) => {
      const record = { day: start };
      refs.push(new WeakRef(record));
      const about = { total: null, bytes: 10, warnings: [], cutShort: false };
      return Promise.resolve({ origin: originAt(now), records: [record], ...about });
    }),
  });
  const use = async () => {
    const [days] = await range.load('key', [{ start: 5, end: 5 }], begin());
    if (!days || days instanceof Error) throw new Error('no days');
    return days.isCurrent;
  };
  const first = await use();
  now += 20;
  const second = await use();
  expect([first(), second()]).toEqual([false, true]);
  expect(await areAlive(refs)).toEqual([false, true]);
});
