import { expect, onTestFinished, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { CLOSED_MS } from '../../src/shared/account.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import type { UnitStore } from '../../src/shared/units.ts';
import { createLedger } from '../../src/usage/ledger.ts';
import { UNNAMED } from './opened.ts';

/** A ledger whose store can be made to fail, and its clock. */
function open() {
  let time = Date.parse('2026-11-20T12:00:00+03:00');
  let isAway = false;
  let tries = 0;
  const now = () => time;
  const onTrouble = { begins: () => undefined, ends: () => undefined };
  const inMemory = unitsInSqlite({ path: ':memory:', now, onTrouble });
  const store: UnitStore = {
    ...inMemory,
    apply(id, change) {
      tries += 1;
      return isAway ? undefined : inMemory.apply(id, change);
    },
  };
  const ledger = createLedger({
    store,
    limits: perMeter(() => undefined),
    timezone: 'Europe/Istanbul',
    now,
    monotonic: now,
    onSpentElsewhere: () => undefined,
  });
  const setAway = (value: boolean) => void (isAway = value);
  onTestFinished(() => {
    setAway(false);
    return ledger.close();
  });
  const advance = (ms: number) => void (time += ms);
  return {
    reserve: () => ledger.reserve('credits', UNNAMED),
    setAway,
    advance,
    tries: () => tries,
  };
}

test('while the store is away, a meter that the upstream refused is probed after a minute all the same', async () => {
  const { reserve, setAway, advance, tries } = open();
  setAway(true);
  const refused = await reserve();
  expect(refused).toBeTypeOf('object');
  if (typeof refused === 'object') refused.end({ units: 0, exhausted: true });
  for (const _ of [1, 2]) {
    expect(await reserve()).toBe('EXHAUSTED');
    advance(CLOSED_MS / 2);
    // The change is handed over again meanwhile.
    const before = tries();
    await expect.poll(tries).toBeGreaterThan(before + 1);
  }
  expect(await reserve()).toBeTypeOf('object');
});
