import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { temporaryFolder } from '../harness.ts';
import { open, usedOf } from './opened.ts';

/** The ledger's file while it cannot be used. */

const limits = { ...perMeter(() => undefined), fx: 2 };

/** The file as another process sees it, which waits for nothing. */
function otherProcess(dataDir: string) {
  const db = new DatabaseSync(join(dataDir, 'ledger.sqlite'), { timeout: 0 });
  onTestFinished(() => db.close());
  const stored = (meter: string) =>
    Number(db.prepare('SELECT used FROM units WHERE meter = ?').get(meter)?.['used'] ?? 0);
  return { db, stored };
}

test('while it is locked a limited meter reserves nothing, another is counted in memory, and all is written after', async () => {
  const dataDir = temporaryFolder();
  const { ledger, trouble } = open({ dataDir, limits });
  const [back, kept] = [ledger.reserve('fx'), ledger.reserve('fx')];
  const { db, stored } = otherProcess(dataDir);
  db.exec('BEGIN IMMEDIATE');
  back?.settle(0);
  expect([ledger.isCertain('fx'), ledger.isCertain('macro')]).toEqual([false, true]);
  expect(ledger.reserve('fx')).toBeUndefined();
  for (let i = 0; i < 5; i += 1) ledger.reserve('macro')?.settle(1);
  expect(ledger.states()).toMatchObject({ fx: { usedThisMonth: 1 }, macro: { usedThisMonth: 5 } });
  await ledger.ready();
  expect(trouble).toEqual([expect.stringContaining('locked')]);
  kept?.settle(1);
  db.exec('COMMIT');
  await expect.poll(() => trouble).toHaveLength(2);
  expect([stored('fx'), stored('macro')]).toEqual([1, 5]);
  expect(ledger.reserve('fx')).toBeDefined();
  expect(ledger.reserve('fx')).toBeUndefined();
  expect([stored('fx'), ledger.isCertain('fx')]).toEqual([2, true]);
});

test('a lock of a moment is told to nobody', async () => {
  const dataDir = temporaryFolder();
  const { ledger, trouble } = open({ dataDir, limits });
  const { db } = otherProcess(dataDir);
  db.exec('BEGIN IMMEDIATE');
  expect(ledger.reserve('fx')).toBeUndefined();
  db.exec('COMMIT');
  await ledger.ready();
  expect(ledger.reserve('fx')).toBeDefined();
  expect(trouble).toEqual([]);
});

test('what is not written yet is written when the ledger is closed', () => {
  const dataDir = temporaryFolder();
  const { ledger } = open({ dataDir });
  const { db, stored } = otherProcess(dataDir);
  db.exec('BEGIN IMMEDIATE');
  ledger.reserve('fx')?.settle(3);
  db.exec('COMMIT');
  expect(stored('fx')).toBe(0);
  ledger.close();
  expect(stored('fx')).toBe(3);
});

test('a damaged file is told once, and nothing throws', async () => {
  const dataDir = temporaryFolder();
  const opened = open({ dataDir });
  const { db } = otherProcess(dataDir);
  opened.ledger.reserve('fx')?.settle(1);
  db.exec('DROP TABLE units');
  opened.advance(1000);
  expect(usedOf(opened)).toBe(1);
  opened.ledger.reserve('fx')?.settle(1);
  await opened.ledger.ready();
  opened.advance(1000);
  expect([usedOf(opened), opened.ledger.isOpen('fx')]).toEqual([2, true]);
  expect(opened.trouble).toHaveLength(1);
});

test('a number that JavaScript cannot hold is read as the largest that it can', () => {
  const dataDir = temporaryFolder();
  open({ dataDir }).ledger.reserve('fx')?.settle(1);
  otherProcess(dataDir).db.exec('UPDATE units SET used = 9223372036854775000');
  expect(usedOf(open({ dataDir }))).toBe(Number.MAX_SAFE_INTEGER);
});
