import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { openServer } from '../../src/shared/valkey/server.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';
import { createLedger } from '../../src/usage/ledger.ts';
import type { Refused } from '../../src/usage/takers.ts';
import type { Ledger, Reservation } from '../../src/usage/units.ts';
import { UNNAMED } from '../usage/opened.ts';
import { freezeFor, openProxy, restartStored } from './faults.ts';
import { NO_SERVER, startValkey, type ValkeyServer } from './valkey-server.ts';

/** Ledgers over one server, whatever happens to it: limits hold to the unit, and every unit is counted. */

const LIMIT = 1000;
/** A server that counts as away is noticed within 100 ms; the rest is for a busy machine. */
const MAX_WAIT_MS = 150 + 850;

async function openLedger(url: string, limit: number | undefined): Promise<Ledger> {
  const server = openServer({ url, onTrouble: { begins() {}, ends() {} } });
  await server.ready(1000);
  const ledger = createLedger({
    store: unitsInValkey({ server, base: '{test}:' }),
    limits: { ...perMeter(() => undefined), credits: limit },
    timezone: 'Europe/Istanbul',
    now: Date.now,
    monotonic: () => performance.now(),
    onSpentElsewhere: () => expect.unreachable('nobody else spends'),
  });
  onTestFinished(async () => {
    await ledger.close();
    server.close();
  });
  return ledger;
}

const openLedgers = (url: string, count: number, limit?: number) =>
  Promise.all(Array.from({ length: count }, () => openLedger(url, limit)));

/** Counts what an upstream would count if each request costs `cost` units. */
function createSpending(cost = 1) {
  const spending = { spent: 0, most: 0, slowestMs: 0, uncertain: 0, isOver: false };

  /** Spends units as a request does, for a moment; one request in ten gives them back. */
  async function request(reservation: Reservation): Promise<void> {
    spending.spent += cost;
    spending.most = Math.max(spending.most, spending.spent);
    await pause(Math.random() * 3);
    const units = Math.random() < 0.1 ? 0 : cost;
    spending.spent += units - cost;
    reservation.end({ units });
  }

  /** Spends until there is nothing left, or until it is told to stop. */
  async function spend(ledger: Ledger): Promise<void> {
    for (let refusals = 0; refusals < 3 && !spending.isOver;) {
      const began = performance.now();
      const given = await ledger.reserve('credits', UNNAMED);
      spending.slowestMs = Math.max(spending.slowestMs, performance.now() - began);
      if (typeof given === 'object') {
        await request(given);
        refusals = 0;
      } else {
        if (given === 'UNCERTAIN') spending.uncertain += 1;
        else refusals += 1;
        await pause(20);
      }
    }
  }
  const spendAll = (ledgers: readonly Ledger[]) =>
    Promise.all(ledgers.flatMap((ledger) => [spend(ledger), spend(ledger), spend(ledger)]));
  return { spending, spendAll };
}

/** Ends a request with what it has cost; returns whether it was sent at all. */
function endPaid(given: Reservation | Refused, units: number): boolean {
  if (typeof given === 'string') return false;
  given.end({ units });
  return true;
}

const usedOf = (ledger: Ledger) => ledger.states().credits.usedThisMonth;

describe.skipIf(NO_SERVER)('units on a server', () => {
  test('eight replicas at full speed spend exactly what there is', async () => {
    const { url } = await startValkey();
    const ledgers = await openLedgers(url, 8, LIMIT);
    const { spending, spendAll } = createSpending();
    await spendAll(ledgers);
    expect([spending.spent, spending.most]).toEqual([LIMIT, LIMIT]);
    for (const ledger of ledgers) await expect.poll(() => usedOf(ledger)).toBe(LIMIT);
  });

  test('eight replicas whose requests cost three units each exceed no limit, and leave less than three', async () => {
    const { url } = await startValkey();
    const ledgers = await openLedgers(url, 8, LIMIT);
    const { spending, spendAll } = createSpending(3);
    // Each ledger learns the cost from an answer of its own.
    for (const ledger of ledgers) {
      await expect
        .poll(async () => endPaid(await ledger.reserve('credits', UNNAMED), 3))
        .toBe(true);
      spending.spent += 3;
    }
    await spendAll(ledgers);
    expect(spending.most).toBeLessThanOrEqual(LIMIT);
    expect(spending.spent).toBeGreaterThan(LIMIT - 3);
    for (const ledger of ledgers) await expect.poll(() => usedOf(ledger)).toBe(spending.spent);
  });

  test.each([
    [
      'is killed, and is back empty',
      async (server: ValkeyServer) => server.kill().then(server.start),
    ],
    ['is frozen for a while', freezeFor(1500)],
    ['is restarted with what it had stored', restartStored],
    ['forgets its scripts', async ({ command }: ValkeyServer) => command('SCRIPT', 'FLUSH')],
    ['is flushed', async ({ command }: ValkeyServer) => command('FLUSHALL')],
    ['is full', async ({ command }: ValkeyServer) => command('CONFIG', 'SET', 'maxmemory', '1')],
  ])(
    'a server that %s: never one unit too many, and in the end all are spent',
    async (_, breakServer) => {
      const server = await startValkey();
      const ledgers = await openLedgers(server.url, 4, LIMIT);
      const { spending, spendAll } = createSpending();
      const spent = spendAll(ledgers);
      while (spending.spent < LIMIT / 4) await pause(5);
      await breakServer(server);
      await spent;
      expect(spending.most).toBeLessThanOrEqual(LIMIT);
      const shown = usedOf(ledgers[0]!);
      // Units that were being given back when the server failed may count as spent.
      expect(shown).toBeLessThanOrEqual(LIMIT);
      expect(spending.spent).toBeGreaterThanOrEqual(LIMIT - 12);
      expect(spending.spent).toBeLessThanOrEqual(shown);
      for (const ledger of ledgers) await expect.poll(() => usedOf(ledger)).toBe(shown);
    },
  );

  test('without a limit everything is served while the server is away, and counted when it is back', async () => {
    const server = await startValkey();
    const ledgers = await openLedgers(server.url, 3);
    const { spending, spendAll } = createSpending();
    const spent = spendAll(ledgers);
    await pause(300);
    await server.kill();
    await pause(700);
    await server.start();
    await pause(700);
    spending.isOver = true;
    await spent;
    expect([spending.uncertain, spending.slowestMs < MAX_WAIT_MS]).toEqual([0, true]);
    await expect.poll(() => usedOf(ledgers[0]!)).toBeGreaterThanOrEqual(spending.spent);
    await pause(600);
    const shown = usedOf(ledgers[0]!);
    expect(shown).toBeLessThanOrEqual(spending.spent + 9);
    for (const ledger of ledgers) await expect.poll(() => usedOf(ledger)).toBe(shown);
  });

  test('a replica that is cut off spends what was granted to it in advance, and no more', async () => {
    const { url } = await startValkey();
    const proxy = await openProxy(url);
    const [others, cut] = [await openLedgers(url, 3, LIMIT), await openLedger(proxy.url, LIMIT)];
    // Nothing is granted in the first two seconds of a server.
    await pause(3000);
    proxy.cut();
    const alone = createSpending();
    const ownSpent = alone.spendAll([cut]);
    await pause(1000);
    const inAdvance = alone.spending.spent;
    expect(alone.spending.most).toBeGreaterThan(0);
    expect(alone.spending.uncertain).toBeGreaterThan(0);
    const together = createSpending();
    await together.spendAll(others);
    expect(together.spending.most + inAdvance).toBeLessThanOrEqual(LIMIT);
    proxy.restore();
    await ownSpent;
    expect(together.spending.spent + alone.spending.spent).toBe(LIMIT);
    expect(alone.spending.slowestMs).toBeLessThan(MAX_WAIT_MS);
    for (const ledger of [...others, cut]) await expect.poll(() => usedOf(ledger)).toBe(LIMIT);
  });
});
