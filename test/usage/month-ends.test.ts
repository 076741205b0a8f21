import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { CORRECTIONS } from '../../src/shared/attribution.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import { hourAt, monthAt } from '../../src/time.ts';
import { createLedger } from '../../src/usage/ledger.ts';
import type { Reservation } from '../../src/usage/units.ts';

/** What is asked for or found out while a month ends. */

const ZONE = 'Europe/Istanbul';
const BORDER = Date.parse('2026-12-01T00:00:00+03:00');

function openAt(start: number) {
  let passed = 0;
  const now = () => start + passed;
  const onTrouble = { begins() {}, ends() {} };
  const store = unitsInSqlite({ path: ':memory:', now, onTrouble });
  const limits = { ...perMeter(() => undefined), credits: 100 };
  const clocks = { timezone: ZONE, now, monotonic: now };
  const onSpentElsewhere = () => expect.unreachable('nobody else spends');
  const advance = (ms: number) => void (passed += ms);
  return { store, advance, now, options: { limits, ...clocks, onSpentElsewhere } };
}

const SPENDING = { payer: undefined, operation: 'Q', dataset: 'crypto' };

test('a correction that is found in the next month belongs to the month of what it corrects', async () => {
  const { store, advance, options } = openAt(BORDER - 60_000);
  const ledger = createLedger({ store, ...options });
  const reserve = () => ledger.reserve('credits', SPENDING) as Reservation;
  reserve().end({ units: 1, remaining: 99 });
  advance(1000);
  reserve().endUnanswered();
  advance(58_000);
  const last = reserve();
  advance(2000);
  last.end({ units: 1, remaining: 98 });
  const hours: number[] = [];
  for await (const lines of ledger.spent(hourAt(BORDER) - 2, hourAt(BORDER) + 2))
    for (const { operation, hour } of lines) if (operation === CORRECTIONS) hours.push(hour);
  expect(hours).toEqual([hourAt(BORDER) - 1]);
  await ledger.close();
});

test('a request that waits for units while the month ends gets those of the next month', async () => {
  const { store, advance, now, options } = openAt(BORDER - 1000);
  const ledger = createLedger({
    store: {
      ...store,
      // Of the month that ends, no unit is given out for now.
      async apply(id, change) {
        if (id.month !== monthAt(BORDER - 1, ZONE)) return store.apply(id, change);
        advance(500);
        const applied = await store.apply(id, { ...change, take: [] });
        return applied && { ...applied, taken: change.take.map(() => 0), waitMs: 1 };
      },
    },
    ...options,
  });
  const given = ledger.reserve('credits', SPENDING);
  await pause(0);
  expect(await given).toMatchObject({ end: expect.any(Function) });
  expect(now()).toBeGreaterThan(BORDER);
  expect(ledger.states().credits.usedThisMonth).toBe(1);
  await ledger.close();
});
