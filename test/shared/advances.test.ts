import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openServer } from '../../src/shared/valkey/server.ts';
import type { Purpose, UnitStore } from '../../src/shared/units.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';
import { openAccount } from '../../src/usage/open-account.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Units granted in advance are set aside for as long as they may be spent, whichever messages get lost. */

const ID = { month: '2026-11', meter: 'credits' } as const;
const purpose: Purpose = { client: '', operation: 'Q', dataset: 'd', hour: 7, budgets: [] };
/** The first two seconds of a server, in which nothing is granted, and some time until a busy one has begun them. */
const BEGINNING_MS = 2600;

type Fate = 'arrives' | 'is lost' | 'loses its answer';

/** Opens a replica's account. `way` decides the fate of each change on its way to the server. */
async function openReplica(url: string, limit: number | undefined) {
  const server = openServer({ url, onTrouble: { begins() {}, ends() {} } });
  onTestFinished(server.close);
  await server.ready(1000);
  const store = unitsInValkey({ server, base: '{test}:' });
  const way = { next: [] as Fate[], all: 'arrives' as Fate };
  const apply: UnitStore['apply'] = async (id, change) => {
    const fate = way.next.shift() ?? way.all;
    if (fate === 'is lost') return undefined;
    const applied = await store.apply(id, change);
    return fate === 'arrives' ? applied : undefined;
  };
  const account = openAccount(ID, {
    store: { ...store, apply },
    limit,
    now: Date.now,
    monotonic: () => performance.now(),
    onSpentElsewhere: () => expect.unreachable('nobody else spends'),
  });
  /** Spends `cost` units at a time until it is refused; returns the total. */
  async function spend(cost = 1): Promise<number> {
    for (let spent = 0; ; spent += cost)
      if (typeof (await account.take({ purpose, cost })) === 'string') return spent;
  }
  async function close(): Promise<void> {
    await store.beginClose();
    await account.settle(true);
  }
  return { account, way, spend, close };
}

type Replica = Awaited<ReturnType<typeof openReplica>>;

async function sendHeartbeat({ account, way }: Replica): Promise<void> {
  account.sendHeartbeat();
  await expect.poll(() => way.next.length).toBe(0);
  await pause(20);
}

async function openTwo(limit: number) {
  const { url } = await startValkey();
  const [one, other] = [await openReplica(url, limit), await openReplica(url, limit)];
  await sendHeartbeat(one);
  await pause(BEGINNING_MS);
  await sendHeartbeat(one);
  return [one, other] as const;
}

describe.skipIf(NO_SERVER)('what is granted in advance', () => {
  test('is not granted again while a part of it is spent but not reported yet', async () => {
    const LIMIT = 1000;
    const [one, other] = await openTwo(LIMIT);
    // One change gets through between two outages.
    one.way.all = 'is lost';
    await sendHeartbeat(one);
    const first = await one.spend();
    one.way.next = ['arrives'];
    await expect.poll(() => one.way.next.length).toBe(0);
    await pause(50);
    const alone = first + (await one.spend());
    expect(alone).toBeGreaterThan(0);
    expect(alone + (await other.spend())).toBe(LIMIT);
    one.way.all = 'arrives';
    await expect.poll(() => one.account.view().used).toBe(LIMIT);
  });

  test('stays set aside if the answer that grants less is lost', async () => {
    const LIMIT = 500;
    const [one, other] = await openTwo(LIMIT);
    await sendHeartbeat(other);
    one.way.next = ['loses its answer'];
    one.way.all = 'is lost';
    await sendHeartbeat(one);
    const spentByOther = await other.spend();
    const spentAlone = await one.spend();
    expect(spentAlone).toBeGreaterThan(0);
    expect(spentAlone + spentByOther).toBe(LIMIT);
  });

  test('does not count against budgets: a client with a budget is told that the allowance is used up', async () => {
    const LIMIT = 500;
    const [one, other] = await openTwo(LIMIT);
    one.way.all = 'is lost';
    // By then it no longer counts as alive, and nobody waits for what it may give back.
    await pause(BEGINNING_MS);
    const budgets = [{ window: '2026-11', limit: 2 * LIMIT }];
    const take = () =>
      other.account.take({ purpose: { ...purpose, client: 'web', budgets }, cost: 1 });
    let last = await take();
    while (typeof last === 'object') last = await take();
    expect(other.account.view().used).toBeLessThan(LIMIT);
    expect(last).toBe('EXHAUSTED');
  });

  test('is spent by requests that cost no more than was granted, and the rest stays set aside', async () => {
    const LIMIT = 500;
    const [one, other] = await openTwo(LIMIT);
    await sendHeartbeat(other);
    one.way.all = 'is lost';
    await sendHeartbeat(one);
    const spentByOther = await other.spend(3);
    const spentAlone = await one.spend(2);
    expect(spentAlone).toBeGreaterThan(0);
    expect(spentAlone + spentByOther).toBeGreaterThan(LIMIT - 5);
    expect(spentAlone + spentByOther).toBeLessThanOrEqual(LIMIT);
    one.way.all = 'arrives';
    await expect.poll(() => one.account.view().used).toBe(spentAlone + spentByOther);
  });

  test('is not waited for by a request that would cost more than is left even then', async () => {
    const LIMIT = 500;
    const [one, other] = await openTwo(LIMIT);
    const heartbeats = setInterval(() => one.account.sendHeartbeat(), 50);
    onTestFinished(() => clearInterval(heartbeats));
    expect(await other.account.take({ purpose, cost: LIMIT + 1 })).toBe('EXHAUSTED');
    expect(await other.spend(1)).toBe(LIMIT);
  });

  test('a unit that was taken for a request that no longer waits for it is given back', async () => {
    // So little that nothing is granted in advance.
    const LIMIT = 50;
    const [one, other] = await openTwo(LIMIT);
    one.way.next = ['loses its answer'];
    expect(await one.account.take({ purpose, cost: 1 })).toBe('UNCERTAIN');
    await expect.poll(() => one.account.view().lastSent).toBe(1);
    await expect.poll(() => one.account.view().used).toBe(0);
    expect(await other.spend()).toBe(LIMIT);
  });

  test('is given back when the replica closes', async () => {
    const LIMIT = 500;
    const [one, other] = await openTwo(LIMIT);
    one.way.next = ['loses its answer'];
    one.account.sendHeartbeat();
    await one.close();
    expect(await other.spend()).toBe(LIMIT);
  });
});

test.skipIf(NO_SERVER)(
  'what was spent without the server counts, although the meter has been closed meanwhile',
  async () => {
    const { url } = await startValkey();
    const one = await openReplica(url, undefined);
    const other = await openReplica(url, undefined);
    one.way.all = 'is lost';
    await one.account.take({ purpose, cost: 1 });
    const { sentAs } = Object(await other.account.take({ purpose, cost: 1 }));
    other.account.end({ sentAs, reserved: 1, units: 0, exhausted: true, purpose });
    await expect.poll(() => other.account.isClosed()).toBe(true);
    one.way.all = 'arrives';
    const usedByAll = () => {
      other.account.refresh();
      return other.account.view().used;
    };
    await expect.poll(usedByAll).toBe(1);
  },
);
