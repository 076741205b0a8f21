import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hourAt, HOUR_MS } from '../../src/time.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import { correctionIn } from '../../src/shared/attribution.ts';
import { temporaryFolder } from '../harness.ts';

/** `npm run spent`, run as a command. */

const MAIN = join(import.meta.dirname, '../../src/commands/spent.ts');

/** It needs a configured upstream, but sends it nothing. */
const UPSTREAM = {
  GROUP_A_URL: 'http://127.0.0.1:9',
  GROUP_A_KEY: 'key',
  GROUP_B_URL: 'http://127.0.0.1:9',
  GROUP_B_KEY: 'key',
};

function spent(DATA_DIR: string, ...days: readonly string[]) {
  const env = { ...UPSTREAM, DATA_DIR };
  return spawnSync(process.execPath, [MAIN, ...days], { encoding: 'utf8', env });
}

test('by default it prints 30 days, today included', () => {
  const folder = temporaryFolder();
  const now = Date.now();
  const onTrouble = { begins: () => undefined, ends: () => undefined };
  const store = unitsInSqlite({ path: join(folder, 'ledger.sqlite'), now: () => now, onTrouble });
  const spentAgo = (days: number, operation: string) => {
    const purpose = { ...correctionIn(hourAt(now - days * 24 * HOUR_MS)), operation };
    const nothing = { take: [], limit: undefined, look: undefined, underWay: 0, held: 0 };
    const units = [{ purpose, requests: 1, cost: 1 }];
    const change = { ...nothing, number: days + 1, ended: [], spent: units };
    void store.apply({ month: '2026-11', meter: 'fx' }, change);
  };
  spentAgo(30, 'Before');
  // Not 29 days ago, the earliest day printed: midnight may pass meanwhile.
  spentAgo(28, 'First');
  spentAgo(0, 'Last');
  store.close();
  const { stdout, stderr } = spent(folder);
  expect(stderr).toBe('');
  expect(stdout).not.toContain('Before');
  expect(stdout).toContain('First');
  expect(stdout).toContain('Last');
});

test('a damaged ledger is left where it is', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'ledger.sqlite');
  writeFileSync(path, 'this is no database, however long it is'.repeat(500));
  const { status, stderr } = spent(folder);
  expect([status, stderr]).toEqual([1, expect.stringContaining('ledger.sqlite is damaged')]);
  expect(readdirSync(folder)).toEqual(['ledger.sqlite']);
});

test('a server that cannot be reached is named by its variable', () => {
  const env = { ...UPSTREAM, DATA_DIR: temporaryFolder(), SHARED_URL: 'redis://127.0.0.1:9' };
  const { status, stderr } = spawnSync(process.execPath, [MAIN], { encoding: 'utf8', env });
  expect([status, stderr]).toEqual([1, expect.stringContaining('SHARED_URL: ')]);
});

test('a folder without a ledger is an error, and stays as it is', () => {
  const folder = temporaryFolder();
  const { status, stdout, stderr } = spent(join(folder, 'mistyped'));
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('DATA_DIR: there is no ledger.sqlite in ');
  expect(readdirSync(folder)).toEqual([]);
});

test('--help prints the usage', () => {
  const { status, stdout, stderr } = spent(temporaryFolder(), '--help');
  expect([status, stdout, stderr]).toEqual([0, expect.stringMatching(/^usage: /), '']);
});

test.each([
  ['FROM: 2026-11-31 is not a day such as 2026-11-01', ['2026-11-31']],
  ['TO: 2026-02-30 is not a day such as 2026-11-01', ['2026-02-01', '2026-02-30']],
  ['FROM: yesterday is not a day such as 2026-11-01', ['yesterday']],
  ['FROM: 2026-11-02 is after 2026-11-01', ['2026-11-02', '2026-11-01']],
  ['unexpected arguments after TO: 2026-11-03', ['2026-11-01', '2026-11-02', '2026-11-03']],
])('an error is reported with the usage: %s', (wrong, days) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...days], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr.startsWith(`${wrong}\nusage: `)).toBe(true);
});
