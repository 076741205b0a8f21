import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { SHORT_MS } from '../../src/shared/stated-balance.ts';
import type { Payer } from '../../src/usage/units.ts';
import { temporaryFolder } from '../harness.ts';
import { open, reserve, UNNAMED, usedOf } from './opened.ts';

/** The ledger's file, while it cannot be used. */

const limits = { ...perMeter(() => undefined), fx: 2 };

/** The file as another process sees it, which waits for nothing. */
function otherProcess(dataDir: string) {
  const db = new DatabaseSync(join(dataDir, 'ledger.sqlite'), { timeout: 0 });
  onTestFinished(() => db.close());
  const stored = (meter: string) =>
    Number(db.prepare('SELECT used FROM units WHERE meter = ?').get(meter)?.['used'] ?? 0);
  return { db, stored };
}

test('while it is locked, a limited meter reserves nothing, another counts in memory, and all is written afterwards', async () => {
  const dataDir = temporaryFolder();
  const opened = open({ dataDir, limits });
  const { ledger, trouble } = opened;
  const [back, kept] = [reserve(opened, 'fx'), reserve(opened, 'fx')];
  const { db, stored } = otherProcess(dataDir);
  db.exec('BEGIN IMMEDIATE');
  back?.end({ units: 0 });
  expect(await ledger.reserve('fx', UNNAMED)).toBe('UNCERTAIN');
  for (let i = 0; i < 5; i += 1) {
    const reserved = await ledger.reserve('macro', UNNAMED);
    if (typeof reserved === 'object') reserved.end({ units: 1 });
  }
  expect(ledger.states()).toMatchObject({ fx: { usedThisMonth: 1 }, macro: { usedThisMonth: 5 } });
  expect(trouble).toEqual([expect.stringContaining('locked')]);
  kept?.end({ units: 1 });
  db.exec('COMMIT');
  await expect.poll(() => [stored('fx'), stored('macro')]).toEqual([1, 5]);
  expect(trouble).toHaveLength(2);
  expect(reserve(opened, 'fx')).toBeDefined();
  expect(reserve(opened, 'fx')).toBeUndefined();
  expect(stored('fx')).toBe(2);
});

test('while it is locked, what an answer has cost counts against the budgets of who paid, and of no other day or client', async () => {
  const dataDir = temporaryFolder();
  const { ledger, at } = open({ dataDir });
  const day = { meter: 'fx', window: 'DAY', limit: 4 } as const;
  const month = { ...day, window: 'MONTH', limit: 9 } as const;
  const [web, app] = [
    { name: 'web', budgets: [day, month] },
    { name: 'app', budgets: [month] },
  ];
  const ask = (payer: Payer) => ledger.reserve('fx', { ...UNNAMED, payer });
  const used = (payer: Payer) => ledger.budgets(payer).map((one) => one.used);
  const [first, second] = [await ask(web), await ask(app)];
  const { db } = otherProcess(dataDir);
  db.exec('BEGIN IMMEDIATE');
  if (typeof first === 'object') first.end({ units: 4 });
  if (typeof second === 'object') second.end({ units: 0 });
  expect([used(web), used(app)]).toEqual([[4, 4], [0]]);
  expect(await ask(web)).toBe('OVER_BUDGET');
  at('2026-11-21T12:00:00+03:00');
  expect(used(web)).toEqual([0, 4]);
  db.exec('COMMIT');
});

test('a momentary lock is not reported, and a reservation waits for it', async () => {
  const dataDir = temporaryFolder();
  const { ledger, trouble } = open({ dataDir, limits });
  const { db } = otherProcess(dataDir);
  db.exec('BEGIN IMMEDIATE');
  const reservation = ledger.reserve('fx', UNNAMED);
  db.exec('COMMIT');
  expect(await reservation).toBeTypeOf('object');
  expect(trouble).toEqual([]);
});

test('units that are not yet written are written when the ledger is closed', async () => {
  const dataDir = temporaryFolder();
  const { ledger } = open({ dataDir });
  const { db, stored } = otherProcess(dataDir);
  db.exec('BEGIN IMMEDIATE');
  const reservation = await ledger.reserve('fx', UNNAMED);
  if (typeof reservation === 'object') reservation.end({ units: 3 });
  db.exec('COMMIT');
  expect(stored('fx')).toBe(0);
  await ledger.close();
  expect(stored('fx')).toBe(3);
});

test('a file that was not writable at the start is written once it is', async () => {
  const dataDir = temporaryFolder();
  await open({ dataDir }).ledger.close();
  // Then SQLite can only open it for reading.
  const shared = join(dataDir, 'ledger.sqlite-shm');
  mkdirSync(shared);
  const { ledger, trouble } = open({ dataDir, limits });
  expect(await ledger.reserve('fx', UNNAMED)).toBe('UNCERTAIN');
  rmSync(shared, { recursive: true });
  await expect.poll(() => trouble.length).toBe(2);
  expect(await ledger.reserve('fx', UNNAMED)).toBeTypeOf('object');
});

test('a balance that includes units which others could not yet write is no sign of another spender', async () => {
  const dataDir = temporaryFolder();
  const [one, other] = [open({ dataDir }), open({ dataDir })];
  reserve(one, 'fx')?.end({ units: 1, remaining: 100 });
  reserve(other, 'fx')?.end({ units: 1, remaining: 99 });
  const { db, stored } = otherProcess(dataDir);
  db.exec('BEGIN IMMEDIATE');
  for (const { ledger } of [one, other]) {
    const reserved = await ledger.reserve('fx', UNNAMED);
    if (typeof reserved === 'object') reserved.end({ units: 1, remaining: 97 });
  }
  db.exec('COMMIT');
  await expect.poll(() => stored('fx')).toBe(4);
  expect([one.spentElsewhere, other.spentElsewhere]).toEqual([[], []]);
  for (const remaining of [90, 89]) {
    expect(one.spentElsewhere).toEqual([]);
    for (const opened of [one, other]) opened.advance(SHORT_MS);
    reserve(one, 'fx')?.end({ units: 1, remaining });
  }
  expect(one.spentElsewhere).toEqual([['fx', 6]]);
});

test('a damaged file is reported once, and nothing throws', async () => {
  const dataDir = temporaryFolder();
  const opened = open({ dataDir });
  const { db } = otherProcess(dataDir);
  reserve(opened, 'fx')?.end({ units: 1 });
  db.exec('DROP TABLE units');
  opened.advance(1000);
  expect(usedOf(opened)).toBe(1);
  const reservation = await opened.ledger.reserve('fx', UNNAMED);
  if (typeof reservation === 'object') reservation.end({ units: 1 });
  opened.advance(1000);
  expect([usedOf(opened), opened.ledger.left('fx') > 0]).toEqual([2, true]);
  expect(opened.trouble).toHaveLength(1);
});

test('a number too large for JavaScript is read as the largest safe one', () => {
  const dataDir = temporaryFolder();
  reserve(open({ dataDir }), 'fx')?.end({ units: 1 });
  otherProcess(dataDir).db.exec('UPDATE units SET used = 9223372036854775000');
  expect(usedOf(open({ dataDir }))).toBe(Number.MAX_SAFE_INTEGER);
});
