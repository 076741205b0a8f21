import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { type Gateway, temporaryFolder } from '../harness.ts';
import { openKeys } from '../keys/clients.ts';
import { limited, open as openLedger, reserve, usedOf } from '../usage/opened.ts';
import { stored } from './stored.ts';

/** A later version has added a column to each table. Then this version continues with the files, or runs beside it. */

const RATES = '{ fxRates(first: 1) { nodes { buying } } }';
const ASSETS = '{ cryptoAssets(first: 1) { totalCount } }';
const history = (pair: string) =>
  `{ fxRate(pair: "${pair}") { history(start: "2026-10-01", end: "2026-11-01") { change } } }`;
const WEB = { name: 'web', budgets: [{ meter: 'FX', window: 'MONTH', limit: 4 }] };

/** Adds a column to each table of a file, which says of each row whether it was there before. */
function addColumns(path: string) {
  const db = new DatabaseSync(path, { timeout: 1000 });
  onTestFinished(() => db.close());
  const names = db.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
  );
  for (const { name } of names.all())
    db.exec(`ALTER TABLE ${String(name)} ADD COLUMN row TEXT NOT NULL DEFAULT 'new';
      UPDATE ${String(name)} SET row = 'old'`);
  return (table: string) =>
    db
      .prepare(`SELECT DISTINCT row FROM ${table} ORDER BY row`)
      .all()
      .map(({ row }) => row);
}

/** Opens two gateways for a client with a budget. The files are changed before the second one starts. */
async function openBoth() {
  const env = { DATA_DIR: temporaryFolder(), FX_MONTHLY_LIMIT: '9' };
  const keys = await openKeys([WEB], { env });
  const headers = { 'content-type': 'application/json', ...keys.headersOf('web') };
  const askAt = (gateway: Gateway) => (query: string) =>
    gateway.send({ method: 'POST', headers, body: JSON.stringify({ query }) });
  const ask = askAt(keys.bench);
  await ask(RATES);
  await stored(env.DATA_DIR, 1);
  const ledger = addColumns(join(env.DATA_DIR, 'ledger.sqlite'));
  const answers = addColumns(join(env.DATA_DIR, 'shared.sqlite'));
  const other = askAt(await keys.bench.another({ ...env, ...keys.env }));
  return { ...keys.bench, ask, other, ledger, answers, folder: env.DATA_DIR };
}

test('answers are kept and shared as before', async () => {
  const { ask, other, sandbox, answers, folder, log } = await openBoth();
  await other(RATES);
  await other(ASSETS);
  await stored(folder, 2);
  await ask(ASSETS);
  await Promise.all([ask, other].map((one) => one(history('EURTRY'))));
  expect(sandbox.requests()).toHaveLength(3);
  await expect.poll(() => answers('notes')).toContain('new');
  expect(answers('answers')).toEqual(['new', 'old']);
  expect(log()).not.toContain('answers are neither shared');
});

test('units are counted as before, and the new column of a count keeps its value', async () => {
  const { ask, other, sandbox, ledger } = await openBoth();
  await ask(history('EURTRY'));
  await other(history('GBPTRY'));
  const { usage } = (await ask(history('CHFTRY'))).extensions;
  expect([usage.fx.usedThisMonth, sandbox.spent().fx]).toEqual([4, 4]);
  const { errors } = await other(history('CADTRY'));
  expect(errors).toMatchObject([{ extensions: { code: 'CLIENT_BUDGET_EXCEEDED' } }]);
  for (const table of ['units', 'accounts', 'counters', 'files'])
    expect(ledger(table)).toEqual(['old']);
  await expect.poll(() => ledger('history')).toContain('new');
});

test('what was counted is kept when the ledger is removed, or another one takes its place', () => {
  const dataDir = temporaryFolder();
  const options = { dataDir, ...limited(7) };
  const opened = openLedger(options);
  for (let i = 0; i < 3; i += 1) reserve(opened, 'fx');
  addColumns(join(dataDir, 'ledger.sqlite'));
  for (const name of ['', '-wal', '-shm']) rmSync(join(dataDir, `ledger.sqlite${name}`));
  const other = openLedger(options);
  addColumns(join(dataDir, 'ledger.sqlite'));
  for (let i = 0; i < 9; i += 1) reserve(opened, 'fx');
  expect([usedOf(opened), usedOf(other)]).toEqual([7, 7]);
});
