import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openServer } from '../../src/shared/server.ts';
import { unitsInSqlite } from '../../src/shared/sqlite-units.ts';
import type { Applied, Change } from '../../src/shared/units.ts';
import { unitsInValkey } from '../../src/shared/valkey-units.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** The server's script does to an account what the rules in account.ts do. */

const onTrouble = { begins: () => undefined, ends: () => undefined };

const small = fc.integer({ min: 0, max: 4 });
const ended = fc.record(
  {
    sentAs: fc.integer({ min: 1, max: 12 }),
    units: fc.integer({ min: 0, max: 3 }),
    timedOut: fc.boolean(),
    remaining: fc.integer({ min: 0, max: 30 }),
    exhausted: fc.boolean(),
  },
  { requiredKeys: ['sentAs', 'units'] },
);
const step = fc.record({
  take: small,
  limit: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 2 }),
  looks: fc.boolean(),
  spent: fc.constantFrom(0, 0, 0, 1),
  ended: fc.array(ended, { maxLength: 3 }),
  underWay: fc.constantFrom(0, 0, 1),
  isRepeated: fc.boolean(),
});

/** What does not depend on when it was done. */
function shown({ taken, elsewhere, account }: Applied) {
  const { used, lastSent, remaining, balanceAt, total, timeouts, isSpentElsewhere } = account;
  const { closedUntil, closedAt } = account;
  const isClosed = closedUntil > 0;
  return {
    taken,
    elsewhere,
    used,
    lastSent,
    remaining,
    balanceAt,
    total,
    timeouts,
    isSpentElsewhere,
    isClosed,
    closedAt,
  };
}

const meter = 'credits';
const NOTHING: Change = {
  number: 1,
  take: 0,
  limit: 1,
  look: undefined,
  spent: 0,
  ended: [],
  underWay: 0,
};

/** Where there is a limit nothing is given out in the first second of a server. */
async function openPastBeginning() {
  const { url } = await startValkey();
  const server = openServer({ url, onTrouble });
  await server.ready(1000);
  const units = unitsInValkey({ server, base: '{test}:' });
  const first = await units.apply({ month: 'first', meter }, { ...NOTHING, take: 1 });
  await pause(first!.waitMs);
  return { server, units };
}

test.skipIf(NO_SERVER)(
  'whatever happens to an account, both stores show the same',
  async () => {
    const { server, units } = await openPastBeginning();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        run += 1;
        const stores = [unitsInSqlite({ path: ':memory:', now: Date.now, onTrouble }), units];
        const id = { month: String(run), meter } as const;
        const closed = [0, 0];
        for (const [i, { looks, isRepeated, ...said }] of steps.entries()) {
          const results = await Promise.all(
            stores.map(async (store, which) => {
              const look = looks ? closed[which] : undefined;
              const change: Change = { ...said, look, number: i + 1 };
              const first = await store.apply(id, change);
              const result = isRepeated ? await store.apply(id, change) : first;
              closed[which] = result?.account.closedUntil ?? 0;
              return result && { ...shown(result), ...(isRepeated && { elsewhere: 0 }) };
            }),
          );
          expect(results[1]).toEqual(results[0]);
        }
      }),
      { numRuns: 300 },
    );
    server.close();
  },
  60_000,
);
