import { describe, expect, test } from 'vitest';
import type { Purpose } from '../../src/shared/units.ts';
import { createChanges, edit, moveEpoch, openReplica } from './replica.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** What a server that lost its data learns of an account from the replicas that run. */

const purpose: Purpose = { client: '', operation: 'Q', dataset: 'd', hour: 7, budgets: [] };
const paid = { sentAs: 1, reserved: 1, units: 1, purpose };
/** Far enough in the future not to pass during the test. */
const LATER = 9_000_000_000_000;

/** Balances, time-outs and the closing of a meter as a replica has seen them. */
const STATE = {
  lastSent: 9,
  remaining: 40,
  balanceAt: 8,
  total: 60,
  lateUntil: LATER,
  lateAt: 7,
  unstatedAt: 6,
  isSpentElsewhere: true,
  closedUntil: LATER,
  closedAt: 5,
};

describe.skipIf(NO_SERVER)('an account that a server has lost', () => {
  test.each([['later'], ['first']])(
    'is as it was known last, if a replica that knows an older state of it returns %s',
    async (when) => {
      const server = await startValkey();
      const older = await openReplica(server.url, { isUnsubscribed: true });
      const newer = await openReplica(server.url);
      const [olderChange, change] = [createChanges(), createChanges()];
      await older.apply(olderChange({ take: [{ purpose, requests: 1, cost: 1 }] }));
      await older.apply(olderChange({ ended: [{ ...paid, remaining: 90 }] }));
      await edit(
        server,
        (stored) => void Object.assign(stored, STATE, { since: 7, counted: 3, free: 2 }),
      );
      await newer.apply(change());
      await server.command('FLUSHALL');
      const both = [() => newer.apply(change()), () => older.apply(olderChange())];
      const [first, last] = when === 'later' ? both : both.toReversed();
      await first!();
      const { account } = await last!();
      expect(account).toMatchObject({ ...STATE, used: 7, timeouts: { counted: 3, free: 2 } });
    },
  );

  test('is not given back again what was given back before it was lost', async () => {
    const { url, command } = await startValkey();
    const { apply } = await openReplica(url);
    const change = createChanges();
    await apply(change({ take: [{ purpose, requests: 1, cost: 20 }] }));
    const last = change({ ended: [{ ...paid, reserved: 20, units: 0 }] });
    await apply(last);
    await command('FLUSHALL');
    expect((await apply(last)).account.used).toBe(0);
  });

  test('has what clients have spent as the replica that knows most of it has seen it', async () => {
    const server = await startValkey();
    const older = await openReplica(server.url, { isUnsubscribed: true });
    const newer = await openReplica(server.url);
    const [olderChange, change] = [createChanges(), createChanges()];
    const web = { client: 'web', window: '2026-11' };
    const ofWeb = { ...purpose, client: 'web', budgets: [{ window: web.window, limit: 9 }] };
    await newer.apply(change());
    await moveEpoch(server, -2000);
    await older.apply(olderChange({ take: [{ purpose: ofWeb, requests: 1, cost: 1 }] }));
    await newer.apply(change({ take: [{ purpose: ofWeb, requests: 4, cost: 1 }] }));
    await server.command('FLUSHALL');
    await newer.apply(change());
    await older.apply(olderChange());
    const another = await openReplica(server.url);
    await another.apply(createChanges()());
    expect(another.spentIn(web)).toBe(5);
    // The server forgets again, and the one that knew less, and misses all news, is there first.
    await server.command('FLUSHALL');
    const late = await openReplica(server.url, { isUnsubscribed: true });
    const lateChange = createChanges();
    await late.apply(lateChange());
    await newer.apply(change());
    await late.apply(lateChange());
    expect(late.spentIn(web)).toBe(5);
  });

  test('lets no budget be spent until all replicas can have reported what was spent of it', async () => {
    const { url } = await startValkey();
    const { apply } = await openReplica(url);
    const budgets = [{ window: '2026-11', limit: 9 }];
    const take = [{ purpose: { ...purpose, budgets }, requests: 1, cost: 1 }];
    const change = createChanges();
    expect(await apply(change({ take }))).toMatchObject({
      taken: [0],
      waitMs: expect.any(Number),
    });
    // Without a budget or a limit, nothing can be exceeded.
    expect((await apply(change({ take: [{ ...take[0]!, purpose }] }))).taken).toEqual([1]);
  });
});
