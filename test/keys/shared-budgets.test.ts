import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Payer } from '../../src/usage/units.ts';
import { temporaryFolder } from '../harness.ts';
import { freezeFor, restartStored } from '../shared/faults.ts';
import { collect } from '../shared/lines.ts';
import { NO_SERVER, startValkey, type ValkeyServer } from '../shared/valkey-server.ts';
import { openKeys } from './clients.ts';
import { startSpenders } from './spenders.ts';
import { budget, createCount, NOON, openLedger, type Place, spendAll } from './spending.ts';

/** Budgets of several clients, which several processes spend at full speed: to the last unit, and no further. */

const PROCESSES = 8;
const DAY_MS = 86_400_000;
const LIMIT = 500;

const day: Payer = { name: 'day', budgets: [budget('DAY', 120)] };
const month: Payer = { name: 'month', budgets: [budget('MONTH', 150)] };
const both: Payer = { name: 'both', budgets: [budget('DAY', 90), budget('MONTH', 110)] };
const free: Payer = { name: 'free', budgets: [] };

const PLACES = [
  {
    name: 'a file',
    isMissing: false,
    open: () => Promise.resolve({ path: join(temporaryFolder(), 'ledger.sqlite') }),
  },
  {
    name: 'a server',
    isMissing: NO_SERVER,
    open: async () => ({ url: (await startValkey()).url }),
  },
];

/** Returns the units that the store has on record, by client and for `all`. */
async function onRecord(place: Place, limit: number | undefined, now = NOON) {
  const { ledger, close } = await openLedger({ place, limit, now });
  const hour = NOON / 3_600_000;
  const lines = await collect(ledger.spent(hour, hour + 100));
  await close();
  const units: Record<string, number> = {};
  for (const { client, units: spent } of lines) {
    units[client] = (units[client] ?? 0) + spent;
    units['all'] = (units['all'] ?? 0) + spent;
  }
  return units;
}

describe.each(PLACES)('processes that share $name', ({ open: openPlace, isMissing }) => {
  test.skipIf(isMissing)(
    'eight of them reach the budgets of days and months, and the limit, exactly',
    async () => {
      const place = await openPlace();
      const options = { place, limit: LIMIT };
      const first = await startSpenders(PROCESSES, { ...options, payers: [day, month, both] });
      // There is room below the limit: nobody may be told that it is reached.
      expect([...(await first.ended)]).not.toContain('EXHAUSTED');
      const today = { day: 120, month: 150, both: 90, all: 360 };
      expect([first.counts().spent, first.counts().peak]).toEqual([today, today]);
      expect(await onRecord(place, LIMIT)).toEqual(today);

      const now = NOON + DAY_MS;
      const payers = [day, month, both, free];
      const next = await startSpenders(PROCESSES, { ...options, now, payers });
      expect([...(await next.ended)]).toContain('EXHAUSTED');
      const { spent, peak } = next.counts();
      expect([spent['all'], peak['all']]).toEqual([LIMIT - 360, LIMIT - 360]);
      expect(peak['both']).toBeLessThanOrEqual(20);
      expect(peak['month']).toBeUndefined();
      const recorded = await onRecord(place, LIMIT, now);
      expect(recorded).toMatchObject({ month: 150, both: 90 + spent['both']!, all: LIMIT });
    },
  );

  test.skipIf(isMissing)(
    'one that is killed spends nothing twice, and no other one spends too much',
    async () => {
      const place = await openPlace();
      const { children, counts, ended } = await startSpenders(PROCESSES, {
        place,
        payers: [day, month, both],
      });
      await expect.poll(() => counts().spent['all'] ?? 0).toBeGreaterThan(60);
      children[0]!.kill('SIGKILL');
      await expect.poll(() => counts().spent['all'] ?? 0).toBeGreaterThan(120);
      children[1]!.kill('SIGKILL');
      await ended;
      const { peak } = counts();
      const recorded = await onRecord(place, undefined);
      // What the killed processes had under way counts as spent, whether or not it was.
      expect(recorded).toEqual({ day: 120, month: 150, both: 90, all: 360 });
      for (const name of ['day', 'month', 'both']) {
        expect(peak[name]).toBeLessThanOrEqual(recorded[name]!);
        expect(peak[name]).toBeGreaterThanOrEqual(recorded[name]! - 2 * 3);
      }
    },
  );
});

describe.skipIf(NO_SERVER)('a server that', () => {
  test.each([
    ['is killed, and is back empty', (server: ValkeyServer) => server.kill().then(server.start)],
    ['is frozen for a while', freezeFor(700)],
    ['is restarted with what it had stored', restartStored],
    ['is flushed', async ({ command }: ValkeyServer) => command('FLUSHALL')],
    [
      'is flushed twice',
      async ({ command }: ValkeyServer) => {
        await command('FLUSHALL');
        await pause(1300);
        await command('FLUSHALL');
      },
    ],
  ])('%s: no budget is exceeded, and in the end all are spent', async (_, breakServer) => {
    const server = await startValkey();
    const opened = await Promise.all(
      Array.from({ length: PROCESSES }, () => openLedger({ place: { url: server.url } })),
    );
    onTestFinished(async () => {
      for (const { close } of opened) await close();
    });
    const payers = [day, month, both];
    const { spent, peak, note } = createCount();
    const spending = Promise.all(opened.map(({ ledger }) => spendAll(ledger, payers, note)));
    while ((spent['all'] ?? 0) < 90) await pause(2);
    await breakServer(server);
    await spending;
    for (const { name, budgets } of payers) {
      const limit = Math.min(...budgets.map((one) => one.limit));
      expect(peak[name]).toBeLessThanOrEqual(limit);
      // Units that processes were giving back when the server failed may count as spent.
      expect(spent[name]).toBeGreaterThanOrEqual(limit - 3 * PROCESSES);
    }
  });
});

test.skipIf(NO_SERVER)('a day may end in the middle of an hour', async () => {
  let now = Date.parse('2026-11-20T23:59:59+05:30');
  const place = { url: (await startValkey()).url };
  const { ledger, close } = await openLedger({ place, timezone: 'Asia/Kolkata' }, () => now);
  onTestFinished(close);
  const payer: Payer = { name: 'web', budgets: [budget('DAY', 10)] };
  const spending = { payer, operation: 'Q', dataset: 'crypto' };
  const reserve = async () => typeof (await ledger.reserve('credits', spending));
  while ((await reserve()) !== 'object') await pause(50);
  // While the first of these is on its way to the server, the others wait, and are sent together.
  const before = [reserve(), reserve(), reserve()];
  now += 2000;
  const after = [reserve(), reserve()];
  expect(new Set(await Promise.all([...before, ...after]))).toEqual(new Set(['object']));
  expect(ledger.budgets(payer)[0]!.used).toBe(after.length);
});

test.skipIf(NO_SERVER)(
  'while the server is away, clients with budgets spend nothing and are told why; others are served',
  async () => {
    const server = await startValkey();
    const budgets = [{ meter: 'FX', window: 'DAY', limit: 50 }];
    const { bench, ask } = await openKeys([{ name: 'web', budgets }, { name: 'free' }], {
      env: { SHARED_URL: server.url },
    });
    const query = '{ fxRates(first: 1) { totalCount } }';
    const history = '{ fxRate(pair: "USDTRY") { history { change } } }';
    await expect.poll(async () => (await ask('web', query)).errors).toEqual([]);
    const { fx } = bench.sandbox.spent();
    await server.kill();
    const { errors } = await ask('web', history);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['SPENDING_UNCERTAIN']);
    expect((await ask('web', query)).errors).toEqual([]);
    expect(bench.sandbox.spent().fx).toBe(fx);
    expect((await ask('free', history)).errors).toEqual([]);
    expect(bench.sandbox.spent().fx).toBe(fx + 1);
    await server.start();
    await expect.poll(async () => (await ask('free', query)).errors).toEqual([]);
    bench.clock.advance(400_000);
    await expect.poll(async () => (await ask('web', history)).errors).toEqual([]);
  },
);
