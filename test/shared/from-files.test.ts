import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';
import { openKeys, post } from '../keys/clients.ts';
import type { Reply } from '../reply.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** A move from files to a server within a month: what was counted in the files counts on the server. */

const LIMIT = { FX_MONTHLY_LIMIT: '10' };
const USAGE = '{ usage { fx { usedThisMonth remaining } } }';

/** Each year needs a separate request; the very first question needs the list of rates, too. */
const yearsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => {
    const range = `start: "${first + i}-01-01", end: "${first + i}-01-03"`;
    return `{ fxRate(pair: "USDTRY") { history(${range}) { change } } }`;
  });

type Ask = (query: string) => Promise<Pick<Reply, 'data' | 'errors'>>;

async function codes(ask: Ask, queries: readonly string[]): Promise<string[]> {
  const troubles: string[] = [];
  for (const query of queries) {
    const { errors } = await ask(query);
    troubles.push(...errors.map(({ extensions }) => extensions.code));
  }
  return troubles;
}

/** Copies the folder in which processes of one machine have counted: each replica may have such a copy. */
function copyOf(folder: string): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

const changeLedger = (folder: string, sql: string) => {
  const db = new DatabaseSync(join(folder, 'ledger.sqlite'), { timeout: 1000 });
  db.exec(sql);
  return db;
};

async function openSpent(spent: number) {
  const DATA_DIR = temporaryFolder();
  const bench = await open({ env: { ...LIMIT, DATA_DIR } });
  expect(await codes(bench.ask, yearsFrom(2000, spent - 1))).toEqual([]);
  const server = await startValkey();
  const SHARED_URL = server.url;
  const onServer = (folder: string) => bench.another({ ...LIMIT, DATA_DIR: folder, SHARED_URL });
  return { ...bench, DATA_DIR, onServer, server };
}

describe.skipIf(NO_SERVER)('a gateway that gets a server', () => {
  test('keeps the limit of the month, however many replicas have copies of the file', async () => {
    const { DATA_DIR, onServer, sandbox } = await openSpent(6);
    const replicas = [await onServer(copyOf(DATA_DIR)), await onServer(copyOf(DATA_DIR))];
    for (const { get } of replicas)
      expect(await get(USAGE)).toEqual({ usage: { fx: { usedThisMonth: 6, remaining: 4 } } });
    expect(await codes(replicas[0]!.ask, yearsFrom(2010, 1))).toEqual([]);
    // A replica that starts later, or again, reports the same once more.
    const later = await onServer(copyOf(DATA_DIR));
    expect(await codes(later.ask, yearsFrom(2012, 1))).toEqual([]);
    expect(await later.get(USAGE)).toMatchObject({
      usage: { fx: { usedThisMonth: sandbox.spent().fx } },
    });
    expect(await codes(replicas[1]!.ask, yearsFrom(2013, 4))).toContain('QUOTA_EXCEEDED');
    expect(sandbox.spent().fx).toBe(10);
  });

  test('goes on counting from what the files tell, even if the server forgets everything', async () => {
    const { DATA_DIR, onServer, server, sandbox } = await openSpent(3);
    const first = await onServer(DATA_DIR);
    expect(await codes(first.ask, yearsFrom(2010, 3))).toEqual([]);
    await server.command('FLUSHALL');
    const later = await onServer(DATA_DIR);
    for (const { get } of [first, later])
      await expect
        .poll(() => get(USAGE))
        .toEqual({ usage: { fx: { usedThisMonth: 7, remaining: 3 } } });
    expect(sandbox.spent().fx).toBe(7);
  });

  test('adds what the files have counted meanwhile, if it was without the server for a while', async () => {
    const { DATA_DIR, onServer, another, sandbox } = await openSpent(3);
    expect(await codes((await onServer(DATA_DIR)).ask, yearsFrom(2010, 2))).toEqual([]);
    const onFiles = await another({ ...LIMIT, DATA_DIR });
    expect(await onFiles.get(USAGE)).toMatchObject({ usage: { fx: { usedThisMonth: 3 } } });
    expect(await codes(onFiles.ask, yearsFrom(2013, 1))).toEqual([]);
    const { get } = await onServer(DATA_DIR);
    const usedThisMonth = sandbox.spent().fx;
    expect(await get(USAGE)).toMatchObject({ usage: { fx: { usedThisMonth } } });
  });

  test('keeps the budgets of clients', async () => {
    const DATA_DIR = temporaryFolder();
    const budgets = [
      { meter: 'FX', window: 'DAY', limit: 9 },
      { meter: 'FX', window: 'MONTH', limit: 9 },
    ];
    const keys = await openKeys([{ name: 'web', budgets }], { env: { DATA_DIR } });
    await codes((query) => keys.ask('web', query), yearsFrom(2000, 2));
    const SHARED_URL = (await startValkey()).url;
    const { bench, headersOf } = keys;
    // The second gateway reports the same once more.
    for (const year of [2010, 2011]) {
      const { send } = await bench.another({ ...keys.env, DATA_DIR, SHARED_URL });
      const ask: Ask = (query) => send(post(query, headersOf('web')));
      expect(await codes(ask, yearsFrom(year, 1))).toEqual([]);
      const { data } = await ask('{ usage { client { budgets { used } } } }');
      const used = bench.sandbox.spent().fx;
      expect(data).toEqual({ usage: { client: { budgets: [{ used }, { used }] } } });
    }
  });

  test('goes on without a file that it cannot read, and says so', async () => {
    const { DATA_DIR, onServer, log } = await openSpent(2);
    const damaged = copyOf(DATA_DIR);
    for (const name of ['ledger.sqlite', 'ledger.sqlite-wal'])
      writeFileSync(join(damaged, name), 'no database at all'.repeat(1000));
    const locked = copyOf(DATA_DIR);
    const other = changeLedger(
      locked,
      'PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; DELETE FROM units',
    );
    onTestFinished(() => other.close());
    for (const folder of [damaged, locked])
      expect(await codes((await onServer(folder)).ask, yearsFrom(2010, 1))).toEqual([]);
    expect(log().split('the ledger cannot be read')).toHaveLength(3);
  });

  test('reads a file of the first version without writing to it', async () => {
    const { DATA_DIR, onServer } = await openSpent(3);
    const folder = copyOf(DATA_DIR);
    changeLedger(
      folder,
      'DROP TABLE counters; DROP TABLE spent; DROP TABLE accounts; DROP TABLE files; PRAGMA wal_checkpoint(TRUNCATE)',
    ).close();
    const path = join(folder, 'ledger.sqlite');
    const before = readFileSync(path);
    const { ask, get } = await onServer(folder);
    expect(await codes(ask, yearsFrom(2010, 1))).toEqual([]);
    expect(await get(USAGE)).toEqual({ usage: { fx: { usedThisMonth: 5, remaining: 5 } } });
    expect(readFileSync(path)).toEqual(before);
  });
});
