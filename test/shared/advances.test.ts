import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  BEGINNING_MS,
  keepAlive,
  openReplica,
  openTwo,
  purpose,
  sendHeartbeat,
} from './replica-accounts.ts';
import { openProxy } from './faults.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Units granted in advance are set aside for as long as they may be spent, whichever messages get lost. */

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
    keepAlive(one);
    expect(await other.account.take({ purpose, cost: LIMIT + 1 })).toBe('EXHAUSTED');
    expect(await other.spend(1)).toBe(LIMIT);
  });

  test('is given back while another replica waits for all that is left', async () => {
    const LIMIT = 1000;
    const [one, other] = await openTwo(LIMIT);
    await sendHeartbeat(one);
    keepAlive(one);
    expect(await other.spend(LIMIT / 5)).toBe(LIMIT);
  });

  test('is given back although the replica still has a higher limit', async () => {
    const LIMIT = 50;
    const { url } = await startValkey();
    const [one, other] = [await openReplica(url, 100 * LIMIT), await openReplica(url, LIMIT)];
    await sendHeartbeat(one);
    await pause(BEGINNING_MS);
    await sendHeartbeat(one);
    keepAlive(one);
    expect(await other.spend()).toBe(LIMIT);
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

  test('is given back although the server is away for a moment while the replica closes', async () => {
    const LIMIT = 500;
    const { url } = await startValkey();
    const proxy = await openProxy(url);
    const [one, other] = [await openReplica(proxy.url, LIMIT), await openReplica(url, LIMIT)];
    await sendHeartbeat(one);
    await pause(BEGINNING_MS);
    await sendHeartbeat(one);
    proxy.slow(150);
    one.account.sendHeartbeat();
    await pause(130);
    // The server was there when closing began, with the account of another meter.
    const settled = one.account.settle(true);
    await pause(100);
    proxy.restore();
    await settled;
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
