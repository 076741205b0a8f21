import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { CORRECTIONS } from '../../src/shared/attribution.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import type { UnitStore } from '../../src/shared/units.ts';
import { hourAt } from '../../src/time.ts';
import { createLedger } from '../../src/usage/ledger.ts';
import type { Reservation } from '../../src/usage/units.ts';

/** What is asked for or found out while a month ends. */

const ZONE = 'Europe/Istanbul';
/** Midnight between two days, and two months. */
const DAY_BORDER = Date.parse('2026-11-20T00:00:00+03:00');
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

/** Gives out nothing for hours before the border: a request waits until the clock has passed it, and is refused. */
function withoutUnitsBefore(border: number, opened: ReturnType<typeof openAt>): UnitStore {
  const { store, advance, now } = opened;
  return {
    ...store,
    async apply(id, change) {
      if (change.take.every(({ purpose }) => purpose.hour >= hourAt(border)))
        return store.apply(id, change);
      advance(500);
      const applied = await store.apply(id, { ...change, take: [] });
      const waitMs = now() < border ? 1 : undefined;
      return applied && { ...applied, taken: change.take.map(() => 0), waitMs };
    },
  };
}

test.each([
  ['month', BORDER, undefined],
  ['day', DAY_BORDER, { name: 'web', budgets: [{ meter: 'credits', window: 'DAY', limit: 1 }] }],
] as const)(
  'a request that waits for units while the %s ends gets those of the next one',
  async (_, border, payer) => {
    const opened = openAt(border - 1000);
    const ledger = createLedger({ ...opened.options, store: withoutUnitsBefore(border, opened) });
    const given = ledger.reserve('credits', { ...SPENDING, payer });
    await pause(0);
    expect(await given).toMatchObject({ end: expect.any(Function) });
    expect(opened.now()).toBeGreaterThanOrEqual(border);
    expect(ledger.states().credits.usedThisMonth).toBe(1);
    await ledger.close();
  },
);
