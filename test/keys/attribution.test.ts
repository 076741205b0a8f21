import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import type { SpentLine } from '../../src/shared/units.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import { createLedger } from '../../src/usage/ledger.ts';
import type { Payer, Reservation } from '../../src/usage/units.ts';
import { createDraw } from '../bench/economy-random.ts';
import { temporaryFolder } from '../harness.ts';
import { SHORT_TTLS } from '../times-to-live.ts';
import { openSocket } from '../live/socket.ts';
import { FRIDAY_NOON } from '../sandbox/harness.ts';
import { collect } from '../shared/lines.ts';
import { openKeys } from './clients.ts';
import { budget } from './spending.ts';
import { chargedBy, HOUR_MS, runTrace, sumOf } from './trace.ts';

/** Every unit is attributed to one client, one operation, one dataset and one hour. */

const FIRST_HOUR = Math.floor(FRIDAY_NOON / HOUR_MS);
const onTrouble = { begins: () => undefined, ends: () => undefined };

/** Returns all lines, read by another ledger on the same file. */
async function linesIn(dataDir: string): Promise<readonly SpentLine[]> {
  const path = join(dataDir, 'ledger.sqlite');
  const store = unitsInSqlite({ path, now: () => FRIDAY_NOON, onTrouble });
  const lines = await collect(store.spent(FIRST_HOUR - 24, FIRST_HOUR + 24 * 40));
  store.close();
  return lines;
}

/** Every fourth client has budgets that do not last. */
const CLIENTS = Array.from({ length: 20 }, (_, i) => ({
  name: `client-${i}`,
  ...(i % 4 === 0 && {
    budgets: [
      { meter: 'FX', window: 'DAY', limit: 4 },
      { meter: 'CREDITS', window: 'MONTH', limit: 9 },
    ],
  }),
}));

test.each([1, 2])(
  'a trace of 20 clients at %i gateway(s): each unit is in one line, and all lines add up to what the upstream counted',
  async (count) => {
    const DATA_DIR = temporaryFolder();
    const env = { ...SHORT_TTLS, DATA_DIR };
    const keys = await openKeys(CLIENTS, { env, latencyMs: 1 });
    const { bench } = keys;
    const others = Array.from({ length: count - 1 }, () => bench.another({ ...env, ...keys.env }));
    const gateways = [bench, ...(await Promise.all(others))];
    const { reported, happened } = await runTrace(keys, gateways, createDraw(count), 60);

    const lines = await linesIn(DATA_DIR);
    const nameOf = ({ client, operation, hour, meter }: SpentLine) =>
      `${client} ${operation} ${hour} ${meter}`;
    expect(sumOf(lines, nameOf)).toEqual(reported);
    expect(sumOf(lines, ({ dataset, hour }) => `${dataset} ${hour}`)).toEqual(chargedBy(bench));
    expect(sumOf(lines, ({ meter }) => meter)).toEqual(bench.sandbox.spent());
    const places = lines.map((line) => `${nameOf(line)} ${line.dataset}`);
    expect(new Set(places).size).toBe(lines.length);
    expect(Math.min(...lines.map(({ units }) => units))).toBeGreaterThan(0);
    // The trace has caused all of this.
    const { cacheHits, coalesced, stale, failed } = happened;
    expect(Math.min(cacheHits!, coalesced!, stale!, failed!)).toBeGreaterThan(5);
    expect(new Set(lines.map(({ client }) => client)).size).toBe(CLIENTS.length);
  },
);

test('a poll is paid by the client that has listened longest and can pay', async () => {
  const DATA_DIR = temporaryFolder();
  const budgets = [{ meter: 'FX', window: 'DAY', limit: 1 }];
  const { bench, headersOf } = await openKeys([{ name: 'first', budgets }, { name: 'second' }], {
    env: { DATA_DIR, TTL_FX_RATES: '0.2' },
    unreadUnits: 2,
  });
  const query = (name: string) =>
    `subscription ${name} { fxRatesUpdated(pairs: ["USDTRY"]) { mid } }`;
  const requests = () => bench.sandbox.requests().length;
  const first = openSocket(bench.url, headersOf('first')).subscribe(query('First'));
  await expect.poll(() => first.events.length).toBe(1);
  const second = openSocket(bench.url, headersOf('second')).subscribe(query('Second'));
  await expect.poll(() => second.events.length).toBe(1);
  expect(requests()).toBe(1);
  bench.clock.advance(5000);
  await expect.poll(requests).toBe(2);
  await expect.poll(async () => (await linesIn(DATA_DIR)).length).toBe(2);
  for (const { leave } of [first, second]) leave();
  const lines = await linesIn(DATA_DIR);
  const paid = sumOf(lines, ({ client, operation }) => `${client} ${operation}`);
  expect(paid).toEqual({ 'first First': 1, 'second Second': 1 });
});

const payers: readonly Payer[] = [
  { name: 'a', budgets: [budget('DAY', 4), budget('MONTH', 9)] },
  { name: 'b', budgets: [budget('DAY', 2)] },
  { name: 'c', budgets: [] },
];
const step = fc.record({
  payer: fc.constantFrom(...payers),
  operation: fc.constantFrom('Q', 'R'),
  end: fc.option(
    fc.record({
      units: fc.constantFrom(0, 1, 1, 3),
      isLate: fc.boolean(),
      remaining: fc.option(fc.integer({ min: 5, max: 60 }), { nil: undefined }),
    }),
    { nil: undefined },
  ),
  waitMinutes: fc.constantFrom(0, 0, 17, 25, 300),
});

test('whatever happens, all lines add up to what has been spent, and those of a client to what its budget shows', async () => {
  // In this zone days begin in the middle of an hour of UTC.
  const timezone = 'Asia/Kolkata';
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      let now = Date.parse('2026-11-10T23:10:00+05:30');
      const began = Math.floor(now / HOUR_MS);
      const ledger = createLedger({
        store: unitsInSqlite({ path: ':memory:', now: () => now, onTrouble }),
        limits: perMeter(() => undefined),
        timeoutsCount: true,
        timezone,
        now: () => now,
        monotonic: () => now,
        onSpentElsewhere: () => undefined,
      });
      const open: Reservation[] = [];
      for (const { payer, operation, end, waitMinutes } of steps) {
        const given = await ledger.reserve('credits', { payer, operation, dataset: 'crypto' });
        if (typeof given === 'object') open.push(given);
        const ending = end && open.shift();
        if (end?.isLate) ending?.endUnanswered();
        else if (end) ending?.end(end);
        now += waitMinutes * 60_000;
      }
      const lines = await collect(ledger.spent(began, began + 24 * 60));
      const { usedThisMonth } = ledger.states().credits;
      // Lines of two hours may cancel each other out.
      expect(sumOf(lines, ({ meter }) => meter)['credits'] ?? 0).toBe(usedThisMonth);
      expect(lines.filter(({ meter }) => meter !== 'credits')).toEqual([]);
      const byClient = sumOf(lines, ({ client }) => client);
      expect(ledger.budgets(payers[0]!)[1]!.used).toBe(byClient['a'] ?? 0);
      await ledger.close();
    }),
    { numRuns: 200 },
  );
});
