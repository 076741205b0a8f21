import { expect, test } from 'vitest';
import { UNSHARED_FLIGHT, type Shared } from '../../src/shared/shared.ts';
import { answerFor, open, TTL } from './names.ts';
import type { Stored } from './upstream.ts';

/** Another process requests the same names, and stores fewer of them than this one waits for. */

/** What another process stores, and its request in flight, for which this process waits. */
function otherProcess() {
  const over = Promise.withResolvers<void>();
  const stored: Stored<ReturnType<typeof answerFor>>[] = [];
  const other = { claims: 0, isFlying: false };
  const shared: Shared = {
    read: () => stored.splice(0),
    recent: () => [],
    claim() {
      other.claims += 1;
      return other.isFlying ? { isOurs: false, over: over.promise } : UNSHARED_FLIGHT;
    },
    note: () => undefined,
    notes: () => [],
    close: () => Promise.resolve(),
  };
  function storeAnswer(names: readonly string[], now: number): void {
    const about = { asked: names, status: 200, body: '', retrievedAt: now, number: 1, age: 0 };
    stored.push({ ...about, brought: answerFor(names, now) });
    other.isFlying = false;
    over.resolve();
  }
  return { shared, other, storeAnswer };
}

test('a name that the other process did not store is requested, even if it was known before', async () => {
  const { shared, other, storeAnswer } = otherProcess();
  const { ask, asked, world } = open({ shared });
  await ask('USD', ['a', 'b']);
  world.now += 3 * TTL;
  other.isFlying = true;
  const one = ask('USD', ['a']);
  // It waits for the other process, and includes `b`: a query for that joins it.
  await expect.poll(() => other.claims).toBe(2);
  const two = ask('USD', ['b']);
  storeAnswer(['a'], world.now);
  const fresh = { tick: world.now };
  expect(await one).toMatchObject([{ value: { name: 'a', ...fresh }, stale: false }]);
  expect(await two).toMatchObject([{ value: { name: 'b', ...fresh }, stale: false }]);
  expect(asked).toHaveLength(2);
  expect(asked[1]?.names).toContain('b');
});

test('a record that is fresh only for the client that started the request is requested again for another', async () => {
  const { shared, other, storeAnswer } = otherProcess();
  const { ask, asked, begin, world } = open({ shared });
  await ask('USD', ['b']);
  world.now += 3 * TTL;
  other.isFlying = true;
  const low = ask('USD', ['a'], begin('LOW'));
  await expect.poll(() => other.claims).toBe(2);
  const normal = ask('USD', ['b'], begin('NORMAL'));
  storeAnswer(['a'], world.now);
  expect(await low).toMatchObject([{ value: { name: 'a', tick: world.now } }]);
  expect(await normal).toMatchObject([{ value: { name: 'b', tick: world.now }, stale: false }]);
  expect(asked).toHaveLength(2);
});
