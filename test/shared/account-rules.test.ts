import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLOSED_MS } from '../../src/shared/account.ts';
import { MAX_COMPARED } from '../../src/shared/stated-balance.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import type { Applied, Change, Purpose, UnitStore } from '../../src/shared/units.ts';
import { meter, onTrouble, openPastBeginning } from './changes.ts';
import { collect } from './lines.ts';
import { NO_SERVER } from './valkey-server.ts';

/** The server's script changes an account exactly as the rules in account.ts do. */

/** Two clients, one of which has budgets. */
const purpose = fc.constantFrom<Purpose>(
  { client: '', operation: 'Q', dataset: 'crypto', hour: 7, budgets: [] },
  {
    client: 'app',
    operation: 'Q',
    dataset: 'crypto',
    hour: 7,
    budgets: [
      { window: '2026-11-22', limit: 3 },
      { window: '2026-11', limit: 5 },
    ],
  },
);
const cost = fc.integer({ min: 1, max: 3 });
const wanted = (min: number, max: number) =>
  fc.record({ purpose, requests: fc.integer({ min, max }), cost });
/** An upstream may state a huge number if there is no limit. */
const balance = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 30 }), weight: 6 },
  { arbitrary: fc.constantFrom(MAX_COMPARED - 10, 9 * MAX_COMPARED), weight: 1 },
);
const ended = fc.record(
  {
    purpose,
    sentAs: fc.integer({ min: 1, max: 12 }),
    reserved: cost,
    units: fc.integer({ min: 0, max: 3 }),
    timedOut: fc.boolean(),
    remaining: balance,
    exhausted: fc.boolean(),
  },
  { requiredKeys: ['purpose', 'sentAs', 'reserved', 'units'] },
);
const step = fc.record({
  take: fc.array(wanted(0, 4), { maxLength: 3 }),
  limit: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 2 }),
  looks: fc.boolean(),
  isLater: fc.boolean(),
  spent: fc.array(wanted(1, 1), { maxLength: 1 }),
  ended: fc.array(ended, { maxLength: 3 }),
  underWay: fc.constantFrom(0, 0, 1),
  held: fc.constant(0),
  isRepeated: fc.boolean(),
});

/** Returns the parts of a result that do not depend on the time. */
function shown({ taken, elsewhere, account }: Applied) {
  const { used, lastSent, remaining, balanceAt, total, timeouts, isSpentElsewhere } = account;
  const { closedUntil, closedAt, unstatedAt, compared } = account;
  const isClosed = closedUntil > 0;
  return {
    taken,
    elsewhere,
    used,
    lastSent,
    remaining,
    balanceAt,
    total,
    compared,
    timeouts,
    unstatedAt,
    isSpentElsewhere,
    isClosed,
    closedAt,
  };
}

/** An hour in the past, but too recent to be forgotten. */
const PAST_HOUR = Math.floor(Date.now() / 3_600_000) - 1000;
const COUNTERS = ['2026-11-22', '2026-11'].map((window) => ({ client: 'app', window }));

async function linesOf(store: UnitStore, hour: number): Promise<string[]> {
  const lines = await collect(store.spent(hour, hour + 1));
  return lines
    .map(({ hour: at, ...line }) =>
      Object.values({ at, ...line })
        .map(String)
        .toSorted()
        .join(' '),
    )
    .toSorted();
}
const PASSED_MS = 2 * CLOSED_MS;
/**
 * Lets time pass on the server for a closed meter, and for requests without an answer. KEYS: account. Returns when the
 * meter is looked at again.
 */
const PASS_TIME_SCRIPT = `
local a = cjson.decode(redis.call('GET', KEYS[1]))
if a.closedUntil > 0 then a.closedUntil = a.closedUntil - ${PASSED_MS} end
a.lateUntil = a.lateUntil - ${PASSED_MS}
redis.call('SET', KEYS[1], cjson.encode(a))
return string.format('%.0f', a.closedUntil)`;

test.skipIf(NO_SERVER)('whatever happens to an account, both stores show the same', async () => {
  const { server, units, command } = await openPastBeginning();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      run += 1;
      let later = 0;
      const now = () => Date.now() + later;
      const stores = [unitsInSqlite({ path: ':memory:', now, onTrouble }), units];
      const id = { month: `2999-${run}`, meter } as const;
      const closed = [0, 0];
      const atOnce = <T extends { purpose: Purpose }>(one: T): T => ({
        ...one,
        purpose: { ...one.purpose, hour: PAST_HOUR + run },
      });
      for (const [i, { looks, isLater, isRepeated, ...wants }] of steps.entries()) {
        if (isLater && i > 0) {
          later += PASSED_MS;
          const account = `{test}:account:${id.month}:${meter}`;
          closed[1] = Number(await command('EVAL', PASS_TIME_SCRIPT, '1', account));
        }
        const prepared = {
          ...wants,
          take: wants.take.map(atOnce),
          spent: wants.spent.map(atOnce),
          ended: wants.ended.map(atOnce),
        };
        const results = await Promise.all(
          stores.map(async (store, which) => {
            const look = looks ? closed[which] : undefined;
            const change: Change = { ...prepared, look, number: i + 1 };
            const first = await store.apply(id, change);
            const result = isRepeated ? await store.apply(id, change) : first;
            closed[which] = result?.account.closedUntil ?? 0;
            const counters = COUNTERS.map((counter) => store.readCounter(id, counter));
            return result && { counters, ...shown(result), ...(isRepeated && { elsewhere: 0 }) };
          }),
        );
        expect(results[1]).toEqual(results[0]);
      }
      const lines = await Promise.all(stores.map((store) => linesOf(store, PAST_HOUR + run)));
      expect(lines[1]).toEqual(lines[0]);
    }),
    { numRuns: 300 },
  );
  server.close();
});
