import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AccountId, Purpose } from '../../src/shared/units.ts';
import { BASE, createChanges, openReplica } from './replica.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** What clients have spent on past days: no longer of use, but possibly a lot. */

/** A month whose days are all past by the clock of any server. */
const id: AccountId = { month: '2020-01', meter: 'credits' };
const COUNTERS = `${BASE}counters:${id.month}:${id.meter}`;
const dayOf = (day: number) => `${id.month}-${String(day).padStart(2, '0')}`;
/** The first two seconds of a server, in which nothing is granted, and some time until a busy one has begun them. */
const BEGINNING_MS = 2600;

const purposeOn = (day: number): Purpose => {
  const budgets = [{ window: dayOf(day), limit: 9 }];
  return { client: 'web', operation: 'Q', dataset: 'd', hour: 7, budgets };
};

test.skipIf(NO_SERVER)(
  'a replica starts on a server where thousands of clients have spent on every day of a month',
  async () => {
    const { url, command } = await startValkey();
    for (let day = 1; day <= 30; day += 1) {
      const all = Array.from({ length: 5000 }, (_, i) => [`client-${i} ${dayOf(day)}`, '0 7']);
      await command('HSET', COUNTERS, ...all.flat());
    }
    await command('HSET', COUNTERS, `client-0 ${id.month}`, '0 210');
    const { apply, spentIn } = await openReplica(url, { id });
    const change = createChanges()();
    await expect.poll(() => apply(change)).toMatchObject({ account: { used: 0 } });
    const spent = [id.month, ...[1, 27, 28, 29, 30].map(dayOf)].map((window) =>
      spentIn({ client: 'client-0', window }),
    );
    expect(spent).toEqual([210, 0, 0, 7, 7, 7]);
  },
);

test.skipIf(NO_SERVER)(
  'a replica goes on after a restart of the server, however many clients have spent',
  async () => {
    const { url, command } = await startValkey();
    for (const window of [id.month, ...[28, 29, 30].map(dayOf)]) {
      const all = Array.from({ length: 20_000 }, (_, i) => [`client-${i} ${window}`, '0 7']);
      await command('HSET', COUNTERS, ...all.flat());
    }
    const { apply } = await openReplica(url, { id });
    const change = createChanges();
    await expect.poll(() => apply(change())).toMatchObject({ account: { used: 0 } });
    await command('DEL', `${BASE}epoch`);
    await expect
      .poll(() => apply(change()), { interval: 250 })
      .toMatchObject({ account: { used: 0 } });
  },
);

test.skipIf(NO_SERVER)('a server that lost its data is told of the last days only', async () => {
  const { url, command } = await startValkey();
  const { apply } = await openReplica(url, { id });
  const change = createChanges();
  await apply(change());
  await pause(BEGINNING_MS);
  for (const day of [1, 2, 3, 4])
    await apply(change({ take: [{ purpose: purposeOn(day), requests: 1, cost: 1 }] }));
  await command('FLUSHALL');
  await apply(change());
  const fields = await command('HKEYS', COUNTERS);
  expect(fields).toEqual(expect.arrayContaining([2, 3, 4].map((day) => `web ${dayOf(day)}`)));
  expect(fields).toHaveLength(3);
});

test.skipIf(NO_SERVER)(
  'a server that lost its data is also told of today if the clock of another replica is days ahead',
  async () => {
    const { url, command } = await startValkey();
    const month = new Date().toISOString().slice(0, 7);
    const { apply, spentIn } = await openReplica(url, { id: { ...id, month } });
    const today = new Date().getUTCDate();
    const windows = [today, today + 5].map((day) => `${month}-${String(day).padStart(2, '0')}`);
    const change = createChanges();
    await apply(change());
    await pause(BEGINNING_MS);
    for (const window of windows) {
      const purpose: Purpose = { ...purposeOn(1), budgets: [{ window, limit: 9 }] };
      await apply(change({ take: [{ purpose, requests: 1, cost: 1 }] }));
    }
    // The server forgets twice.
    for (const _ of [1, 2]) {
      await command('FLUSHALL');
      await apply(change());
      expect(await command('HKEYS', `${BASE}counters:${month}:${id.meter}`)).toHaveLength(2);
    }
    expect(windows.map((window) => spentIn({ client: 'web', window }))).toEqual([1, 1]);
  },
);
