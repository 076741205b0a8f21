import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { HOUR_MS } from '../../src/time.ts';
import type { Reservation } from '../../src/usage/units.ts';
import { temporaryFolder } from '../harness.ts';
import { budget } from '../keys/spending.ts';
import { collect } from '../shared/lines.ts';
import { limited, open, reserve, usedOf } from './opened.ts';

/** The ledger's file, used by several processes, one after the other or together. */

test('a process that is killed loses no unit that it has reserved', () => {
  const dataDir = temporaryFolder();
  const url = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const program = `
    const { unitsInSqlite } = await import(${url('shared/sqlite/units.ts')});
    const { createLedger } = await import(${url('usage/ledger.ts')});
    const now = () => Date.parse('2026-11-20T12:00:00+03:00');
    const store = unitsInSqlite({ path: ${JSON.stringify(join(dataDir, 'ledger.sqlite'))}, now });
    const limits = { fx: undefined, macro: undefined, credits: undefined };
    const ledger = createLedger({ store, limits, timezone: 'Europe/Istanbul', now,
      monotonic: () => performance.now(), onSpentElsewhere() {} });
    const unnamed = { operation: '', dataset: '' };
    for (let i = 0; i < 7; i += 1) ledger.reserve('fx', unnamed).end({ units: 1 });
    ledger.reserve('fx', unnamed).end({ units: 0 });
    ledger.reserve('fx', unnamed);
    process.kill(process.pid, 'SIGKILL');`;
  const run = () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      stdio: 'pipe',
    });
  expect(run).toThrow(expect.objectContaining({ signal: 'SIGKILL' }));
  expect(usedOf(open({ dataDir }))).toBe(8);
});

test('two ledgers on one file never pass a limit together, and lose nothing', () => {
  const step = fc.record({
    which: fc.nat(1),
    settle: fc.option(fc.constantFrom(0, 1), { nil: undefined }),
  });
  const folder = temporaryFolder();
  fc.assert(
    fc.property(fc.nat(8), fc.array(step, { maxLength: 40 }), (limit, steps) => {
      const dataDir = mkdtempSync(join(folder, 'run-'));
      const both = [open({ dataDir, ...limited(limit) }), open({ dataDir, ...limited(limit) })];
      const held: Reservation[] = [];
      let spent = 0;
      for (const { which, settle } of steps) {
        const reservation = reserve(both[which]!, 'fx');
        expect(reservation !== undefined).toBe(spent < limit);
        if (reservation) spent += 1;
        if (reservation) held.push(reservation);
        if (settle !== undefined && held.length > 0) {
          held.pop()!.end({ units: settle });
          spent -= 1 - settle;
        }
      }
      expect(usedOf(open({ dataDir }))).toBe(spent);
    }),
    { numRuns: 30 },
  );
});

test('a unit that another process gives back can be spent at once', () => {
  const dataDir = temporaryFolder();
  const [one, other] = [open({ dataDir, ...limited(1) }), open({ dataDir, ...limited(1) })];
  const last = reserve(one, 'fx');
  expect([other.ledger.left('fx') > 0, reserve(other, 'fx')]).toEqual([false, undefined]);
  last?.end({ units: 0 });
  expect(other.ledger.left('fx') > 0).toBe(true);
  expect(reserve(other, 'fx')).toBeDefined();
});

test('spending of other processes shows within a moment', () => {
  const dataDir = temporaryFolder();
  const [idle, busy] = [open({ dataDir }), open({ dataDir })];
  expect(usedOf(idle)).toBe(0);
  reserve(busy, 'fx')?.end({ units: 1 });
  idle.advance(50);
  expect(usedOf(idle)).toBe(1);
});

test.for([['2027-01-10', '2027-02-10'], ['2029-06-01']])(
  'a clock that is wrong for a moment (%s) loses neither the counters of budgets nor records of spending',
  async (wrong) => {
    const opened = open({ dataDir: temporaryFolder() });
    const { ledger, at } = opened;
    const payer = { name: 'app', budgets: [budget('MONTH', 5)] };
    const spend = async () => {
      const given = await ledger.reserve('credits', {
        payer,
        operation: 'Q',
        dataset: 'crypto',
      });
      if (typeof given === 'object') given.end({ units: 1 });
    };
    await spend();
    await spend();
    for (const day of wrong) {
      at(`${day}T12:00:00Z`);
      await spend();
    }
    at('2026-11-20T12:01:00+03:00');
    expect(ledger.left('credits', payer)).toBe(3);
    const hours = (time: string) => Date.parse(time) / HOUR_MS;
    const day = ledger.spent(hours('2026-11-20T00:00:00Z'), hours('2026-11-21T00:00:00Z'));
    expect(await collect(day)).toMatchObject([{ client: 'app', units: 2 }]);
  },
);

test('counters of all but the last twelve months are removed from the file, and so are records of spending after some 400 days', async () => {
  const dataDir = temporaryFolder();
  const { ledger, at } = open({ dataDir });
  const payer = { name: 'app', budgets: [budget('MONTH', 5)] };
  for (let month = 0; month < 18; month += 1) {
    at(new Date(Date.UTC(2026, 10 + month, 20)).toISOString());
    const given = await ledger.reserve('credits', {
      payer,
      operation: 'Q',
      dataset: 'crypto',
    });
    if (typeof given === 'object') given.end({ units: 1 });
  }
  const db = new DatabaseSync(join(dataDir, 'ledger.sqlite'), {
    readOnly: true,
  });
  onTestFinished(() => db.close());
  const count = (table: string) =>
    Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
  expect([count('counters'), count('spent')]).toEqual([12, 15]);
});
