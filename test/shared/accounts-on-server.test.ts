import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CLOSED_MS } from '../../src/shared/account.ts';
import type { Purpose } from '../../src/shared/units.ts';
import { TIMER_MS } from './changes.ts';
import { ACCOUNT, createChanges, edit, moveEpoch, openReplica } from './replica.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** What only happens to an account on a server: it is forgotten, a change arrives late, or clocks differ. */

const purpose: Purpose = { client: '', operation: 'Q', dataset: 'd', hour: 7, budgets: [] };
const HOUR_MS = 3_600_000;

const units = (count: number) => [{ purpose, requests: count, cost: 1 }];
/** Returns the ends of `count` requests that were not charged. */
const givenBack = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ sentAs: i + 1, reserved: 1, units: 0, purpose }));

const BEGINNING_MS = 2000;

describe.skipIf(NO_SERVER)('an account on a server', () => {
  test('a change that arrives again, after later ones, is applied once', async () => {
    const { url } = await startValkey();
    const { apply, again, used } = await openReplica(url);
    const change = createChanges();
    await apply(change({ take: units(20) }));
    await apply(change({ ended: givenBack(20) }));
    await apply(change({ take: units(3) }));
    await again(1);
    await apply(change());
    expect(used()).toBe(3);
  });

  test.each([2, 48])(
    'a replica that was cut off for %i hours does not give back what may have been given back before',
    async (hours) => {
      const server = await startValkey();
      const [one, other] = [await openReplica(server.url), await openReplica(server.url)];
      const [change, othersChange] = [createChanges(), createChanges()];
      await one.apply(change({ take: units(20) }));
      const last = change({ ended: givenBack(20) });
      await one.apply(last);
      await edit(server, ({ writers }) => {
        for (const writer of Object.values(writers)) writer.at -= hours * HOUR_MS;
      });
      await other.apply(othersChange({ take: units(70) }));
      await one.apply(last);
      expect(one.used()).toBeGreaterThanOrEqual(70);
    },
  );

  test('a clock that is set back by an hour makes nobody wait for an hour', async () => {
    const server = await startValkey();
    const [one, other] = [await openReplica(server.url), await openReplica(server.url)];
    const [change, othersChange] = [createChanges(), createChanges()];
    const limit = 500;
    await one.apply(change({ limit }));
    // The stored times are an hour ahead then.
    await moveEpoch(server, HOUR_MS);
    const { waitMs } = await one.apply(change({ limit, take: units(1) }));
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(BEGINNING_MS);
    await pause(waitMs! + TIMER_MS);
    const { advance } = await one.apply(change({ limit }));
    expect(advance).toBeGreaterThan(0);
    await edit(server, ({ writers }) => {
      for (const writer of Object.values(writers)) writer.at += HOUR_MS;
    });
    const takeAll = () => other.apply(othersChange({ limit, take: units(limit) }));
    expect((await takeAll()).taken).toEqual([limit - advance]);
    // A replica that has died gives nothing back.
    await pause(BEGINNING_MS + TIMER_MS);
    expect(await takeAll()).toMatchObject({ taken: [0], waitMs: undefined });
  });

  test('what one replica knows is not forgotten if another one returns first to a server that lost its data', async () => {
    const { url, command } = await startValkey();
    const [one, other] = [await openReplica(url), await openReplica(url, { isUnsubscribed: true })];
    const [change, othersChange] = [createChanges(), createChanges()];
    await other.apply(othersChange({ take: units(2) }));
    await one.apply(change({ take: units(98) }));
    await command('FLUSHALL');
    const before = one.news.length;
    for (const _ of [1, 2]) await other.apply(othersChange({ ended: givenBack(1) }));
    await expect.poll(() => one.news.length).toBe(before + 2);
    await one.apply(change());
    expect(one.used()).toBeGreaterThanOrEqual(98);
  });

  test('a replica that returns late to a server that lost its data reports what clients have spent before it spends', async () => {
    const server = await startValkey();
    const budgets = [{ window: '2026-11', limit: 5 }];
    const take = (count: number) => [
      { purpose: { ...purpose, budgets }, requests: count, cost: 1 },
    ];
    const late = await openReplica(server.url);
    const change = createChanges();
    await late.apply(change());
    await moveEpoch(server, -BEGINNING_MS);
    expect((await late.apply(change({ take: take(7) }))).taken).toEqual([5]);
    // The server forgets twice, and a replica that knows nothing is there first each time.
    for (const _ of [1, 2]) {
      await server.command('FLUSHALL');
      const first = await openReplica(server.url);
      await first.apply(createChanges()());
      await moveEpoch(server, -BEGINNING_MS);
      expect((await late.apply(change({ take: take(2) }))).taken).toEqual([0]);
    }
  });

  test('a replica that has missed what a client has spent, or was given back, is told with its next changes', async () => {
    const server = await startValkey();
    const [one, unsubscribed] = [
      await openReplica(server.url),
      await openReplica(server.url, { isUnsubscribed: true }),
    ];
    const [change, unsubscribedChange] = [createChanges(), createChanges()];
    await one.apply(change());
    await moveEpoch(server, -BEGINNING_MS);
    const web = { client: 'web', window: '2026-11' };
    const ofWeb = { ...purpose, client: 'web', budgets: [{ window: web.window, limit: 9 }] };
    await unsubscribed.apply(
      unsubscribedChange({ take: [{ purpose: ofWeb, requests: 1, cost: 1 }] }),
    );
    await one.apply(change({ take: [{ purpose: ofWeb, requests: 8, cost: 1 }] }));
    expect(unsubscribed.spentIn(web)).toBe(1);
    await unsubscribed.apply(unsubscribedChange());
    expect(unsubscribed.spentIn(web)).toBe(9);
    await one.apply(change({ ended: [{ sentAs: 2, reserved: 1, units: 0, purpose: ofWeb }] }));
    // A change for another client does not hide what it has missed about this one.
    await unsubscribed.apply(
      unsubscribedChange({
        take: [{ purpose: { ...ofWeb, client: 'app' }, requests: 1, cost: 1 }],
      }),
    );
    await unsubscribed.apply(unsubscribedChange());
    expect(unsubscribed.spentIn(web)).toBe(8);
  });

  test('a replica whose clock is ahead does not try a closed meter before its time', async () => {
    const server = await startValkey();
    const { apply } = await openReplica(server.url);
    const change = createChanges();
    await apply(change({ take: units(1) }));
    const exhausted = [{ sentAs: 1, reserved: 1, units: 0, exhausted: true, purpose }];
    const { account } = await apply(change({ ended: exhausted }));
    const look = account.closedUntil;
    expect((await apply(change({ take: units(1), look }))).taken).toEqual([0]);
    await edit(server, (stored) => void (stored.closedUntil -= CLOSED_MS));
    const later = { take: units(2), look: look - CLOSED_MS };
    expect((await apply(change(later))).taken).toEqual([1]);
  });

  test('an evicted account is reported again by all who know it, before anything is granted', async () => {
    const { url, command } = await startValkey();
    const { apply } = await openReplica(url);
    const change = createChanges();
    const limit = 90;
    const first = await apply(change({ limit, take: units(1) }));
    await pause(first.waitMs! + TIMER_MS);
    await apply(change({ limit, take: units(60) }));
    await command('DEL', ACCOUNT);
    const take = () => change({ limit, take: units(limit) });
    const { taken, account, waitMs } = await apply(take());
    expect([taken, account.used]).toEqual([[0], 60]);
    await pause(waitMs! + TIMER_MS);
    expect((await apply(take())).taken).toEqual([30]);
  });

  test('all replicas are told of a balance, even if the count stays the same', async () => {
    const { url } = await startValkey();
    const [one, other] = [await openReplica(url), await openReplica(url)];
    const change = createChanges();
    await one.apply(change({ take: units(1) }));
    await one.apply(
      change({ ended: [{ sentAs: 1, reserved: 1, units: 1, remaining: 40, purpose }] }),
    );
    await expect.poll(() => other.news.at(-1)).toContain('"remaining":40');
  });
});
