import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import { HOUR_MS } from '../../src/time.ts';
import { open, temporaryFolder } from '../harness.ts';
import { openKeys } from '../keys/clients.ts';

/** What clients see while the ledger's file cannot be used, and when gateways share it. */

const RATE = '{ rate: fxRate(pair: "USDTRY") { mid } }';
const ASSET = '{ asset: cryptoAsset(symbol: "BTC") { price } }';
const USAGE = '{ usage { fx { usedThisMonth } credits { usedThisMonth } } }';

function fileOf(dataDir: string): DatabaseSync {
  const db = new DatabaseSync(join(dataDir, 'ledger.sqlite'), { timeout: 0 });
  onTestFinished(() => db.close());
  return db;
}

/** How often the log contains these words. */
const count = (log: string, words: string) => log.split(words).length - 1;

/** Returns the longest time for which the event loop was blocked while `task` ran, in milliseconds. */
async function longestStall(task: () => Promise<unknown>): Promise<number> {
  let [last, longest, isOver] = [performance.now(), 0, false];
  const measure = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    if (!isOver) setImmediate(measure);
  };
  measure();
  await task();
  isOver = true;
  return longest;
}

test('while another process locks the file, limited meters fail, others are served without waiting, and all is counted', async () => {
  const DATA_DIR = temporaryFolder();
  const { ask, get, cost, sandbox, log } = await open({ env: { DATA_DIR, FX_MONTHLY_LIMIT: '5' } });
  const db = fileOf(DATA_DIR);
  db.exec('BEGIN IMMEDIATE');
  const stall = await longestStall(async () => {
    for (let i = 0; i < 3; i += 1) {
      const { errors, extensions } = await ask(RATE);
      const about = { code: 'SPENDING_UNCERTAIN', group: 'A', meter: 'fx', retryable: true };
      expect(errors).toMatchObject([{ extensions: about }]);
      expect(extensions.usage.upstream.requests).toBe(0);
    }
    expect(await cost(ASSET)).toBe(1);
  });
  // Well below the 2000 ms that a statement would wait for the lock with a patient busy timeout.
  expect(stall).toBeLessThan(1500);
  expect(sandbox.requests()).toHaveLength(1);
  expect(count(log(), 'the ledger is unusable')).toBe(1);
  db.exec('COMMIT');
  await expect.poll(log).toContain('the ledger is usable again');
  await get(RATE);
  const { usedThisMonth } = (await ask(USAGE)).extensions.usage.credits;
  expect(usedThisMonth).toBe(1);
  const written = () => db.prepare('SELECT sum(used) AS used FROM units').get();
  await expect.poll(written).toEqual({ used: 2 });
});

test('units spent while the file is locked are attributed to the hours in which they were spent', async () => {
  const DATA_DIR = temporaryFolder();
  const { cost, clock } = await open({ env: { DATA_DIR } });
  const db = fileOf(DATA_DIR);
  db.exec('BEGIN IMMEDIATE');
  const began = Math.floor(clock.now() / HOUR_MS);
  for (const _ of [1, 2, 3]) {
    expect(await cost(ASSET)).toBe(1);
    clock.advance(HOUR_MS);
  }
  db.exec('COMMIT');
  const lines = db.prepare('SELECT hour, units FROM spent ORDER BY hour');
  await expect
    .poll(() => lines.all())
    .toEqual([0, 1, 2].map((hour) => ({ hour: began + hour, units: 1 })));
});

test('a unit that is refunded while the file is locked is refunded once it is unlocked', async () => {
  const env = { DATA_DIR: temporaryFolder(), FX_MONTHLY_LIMIT: '1' };
  const { ask, sandbox, another } = await open({ env: { ...env, GROUP_A_KEY: 'wrong' } });
  const right = await another(env);
  const db = fileOf(env.DATA_DIR);
  const release = sandbox.fault({ kind: 'hold', times: 1 });
  const refused = ask(RATE);
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  db.exec('BEGIN IMMEDIATE');
  release();
  expect((await refused).errors).toHaveLength(1);
  db.exec('COMMIT');
  await expect.poll(() => db.prepare('SELECT used FROM units').get()).toEqual({ used: 0 });
  expect(await right.cost(RATE)).toBe(1);
});

test('after a read error, answers are served with their usage, and the error is logged once', async () => {
  const DATA_DIR = temporaryFolder();
  const { ask, get, clock, log } = await open({ env: { DATA_DIR } });
  await get(RATE);
  fileOf(DATA_DIR).exec('DROP TABLE units');
  for (let i = 0; i < 5; i += 1) {
    clock.advance(2000);
    const { errors, extensions } = await ask(USAGE);
    expect(errors).toEqual([]);
    expect(extensions.usage.fx.usedThisMonth).toBe(1);
  }
  await get(ASSET);
  await expect.poll(log).toContain('the ledger is unusable');
  clock.advance(2000);
  const { data } = await ask(USAGE);
  expect(data).toEqual({ usage: { fx: { usedThisMonth: 1 }, credits: { usedThisMonth: 1 } } });
  expect(count(log(), 'the ledger is unusable')).toBe(1);
});

test('after a read error, the budget of a client shows what was read last', async () => {
  const DATA_DIR = temporaryFolder();
  const budgets = [{ meter: 'FX', window: 'DAY', limit: 5 }];
  const { bench, ask } = await openKeys([{ name: 'web', budgets }], { env: { DATA_DIR } });
  await ask('web', RATE);
  fileOf(DATA_DIR).exec('DROP TABLE counters');
  bench.clock.advance(2000);
  const { client } = (await ask('web', '{ __typename usage { fx { limit } } }')).extensions.usage;
  expect(client?.budgets).toMatchObject([{ used: 1 }]);
  // Another meter shows that something has been spent: so all is read again.
  await ask('web', ASSET);
  const { extensions } = await ask('web', USAGE);
  expect(extensions.usage.client?.budgets).toMatchObject([{ used: 1 }]);
});

test('a file that can only be read is reported at startup, and used once it can be written', async () => {
  const DATA_DIR = temporaryFolder();
  const env = { DATA_DIR, FX_MONTHLY_LIMIT: '5' };
  const path = join(DATA_DIR, 'ledger.sqlite');
  unitsInSqlite({ path, now: Date.now, onTrouble: { begins() {}, ends() {} } }).close();
  // SQLite only reads files that a later version of itself must write. Permissions do not stop a superuser.
  const setWriteVersion = (version: number) => {
    const file = openSync(path, 'r+');
    writeSync(file, Uint8Array.of(version), 0, 1, 18);
    closeSync(file);
  };
  setWriteVersion(3);
  const { ask, cost, sandbox, log } = await open({ env });
  expect(count(log(), 'the ledger is unusable')).toBe(1);
  expect((await ask(RATE)).errors).toMatchObject([{ extensions: { code: 'SPENDING_UNCERTAIN' } }]);
  expect(sandbox.requests()).toEqual([]);
  expect(count(log(), 'the ledger is unusable')).toBe(1);
  setWriteVersion(2);
  expect(await cost(RATE)).toBe(1);
  expect(log()).toContain('the ledger is usable again');
});

test('of two gateways that share a ledger, one can spend a unit that is refunded to the other', async () => {
  const env = { FX_MONTHLY_LIMIT: '1', DATA_DIR: temporaryFolder() };
  const { ask, sandbox, another } = await open({ env: { ...env, GROUP_A_KEY: 'wrong' } });
  const other = await another(env);
  const release = sandbox.fault({ kind: 'hold', times: 1 });
  const refused = ask(RATE);
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  expect((await other.ask(RATE)).errors).toMatchObject([
    { extensions: { code: 'QUOTA_EXCEEDED' } },
  ]);
  release();
  expect((await refused).errors).toHaveLength(1);
  expect(await other.cost(RATE)).toBe(1);
});
