import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { NOTE_DELAY_MS } from '../../src/shared/shared.ts';
import { open, temporaryFolder } from '../harness.ts';
import { fileIn, otherProcess, rows, stored } from './stored.ts';

/** Whatever happens to the file of kept answers, no operation fails because of it. */

const RATES = '{ fxRates(first: 1) { nodes { buying } } }';
const LIST = '{ cryptoAssets(first: 500) { nodes { symbol price } } }';

const lines = (log: string, text: string) => log.split('\n').filter((line) => line.includes(text));

describe('a damaged file', () => {
  test('at the start is put aside once, and a new one is begun', async () => {
    const DATA_DIR = temporaryFolder();
    writeFileSync(fileIn(DATA_DIR), 'no database at all'.repeat(1000));
    const { ask, log, another } = await open({ env: { DATA_DIR } });
    expect((await ask(RATES)).errors).toEqual([]);
    expect((await ask(LIST)).errors).toEqual([]);
    expect(lines(log(), 'damaged')).toHaveLength(1);
    expect(existsSync(`${fileIn(DATA_DIR)}.damaged`)).toBe(true);
    expect(await (await another({ DATA_DIR })).cost(LIST)).toBe(0);
  });

  test('that was damaged later is put aside, too, whichever process notices first', async () => {
    const DATA_DIR = temporaryFolder();
    const { ask, cost, another, clock } = await open({ env: { DATA_DIR } });
    const other = await another({ DATA_DIR });
    await ask(LIST);
    await other.ask(RATES);
    await stored(DATA_DIR, 2);
    // Their notes to each other are written later.
    await pause(4 * NOTE_DELAY_MS);
    // Now everything is in the file, and no process continues with what is in memory.
    const db = otherProcess(DATA_DIR);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const { size } = statSync(fileIn(DATA_DIR));
    writeFileSync(fileIn(DATA_DIR), Buffer.alloc(size, 'x'));
    clock.advance(61_000);
    for (const gateway of [other, { ask }])
      for (const query of [RATES, LIST]) expect((await gateway.ask(query)).errors).toEqual([]);
    await stored(DATA_DIR, 2);
    clock.advance(61_000);
    await other.ask(RATES);
    expect(await cost(RATES)).toBe(0);
  });

  test('in which only one answer is damaged: that answer is requested again', async () => {
    const DATA_DIR = temporaryFolder();
    const { ask, another } = await open({ env: { DATA_DIR } });
    await ask(LIST);
    await stored(DATA_DIR, 1);
    const db = otherProcess(DATA_DIR);
    db.exec(`UPDATE answers SET body = zeroblob(1000)`);
    db.close();
    expect(await (await another({ DATA_DIR })).cost(LIST)).toBe(1);
  });
});

test('a locked file delays nothing for long, and is used again afterwards', async () => {
  const DATA_DIR = temporaryFolder();
  const { ask, another, log, clock } = await open({ env: { DATA_DIR } });
  await ask(RATES);
  const db = otherProcess(DATA_DIR);
  db.exec('BEGIN EXCLUSIVE');
  expect((await ask(LIST)).errors).toEqual([]);
  expect((await ask('{ cryptoAsset(symbol: "NOVZ") { symbol } }')).errors).toEqual([]);
  const failures = () => lines(log(), 'answers are neither shared').length;
  const ended = () => lines(log(), 'shared and kept again').length;
  // The file can be read meanwhile.
  for (let i = 0; i < 3; i += 1) {
    clock.advance(61_000);
    expect((await ask(RATES)).errors).toEqual([]);
    expect([failures(), ended()]).toEqual([1, 0]);
  }
  db.exec('ROLLBACK');
  db.close();
  clock.advance(61_000);
  await ask(RATES);
  await expect.poll(ended).toBe(1);
  expect(failures()).toBe(1);
  expect(await (await another({ DATA_DIR })).cost(RATES)).toBe(0);
});

test('if answers cannot be stored, as on a full disk, the log says so once, and once when they can again', async () => {
  const DATA_DIR = temporaryFolder();
  const { ask, log, clock } = await open({ env: { DATA_DIR } });
  await ask(RATES);
  await stored(DATA_DIR, 1);
  const db = otherProcess(DATA_DIR);
  // Everything but answers can still be written.
  db.exec("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT RAISE(ABORT, 'full'); END");
  const failures = () => lines(log(), 'answers are neither shared').length;
  const ended = () => lines(log(), 'shared and kept again').length;
  for (let i = 0; i < 3; i += 1) {
    clock.advance(61_000);
    await ask(RATES);
    await expect.poll(failures).toBe(1);
    expect(ended()).toBe(0);
  }
  db.exec('DROP TRIGGER full');
  db.close();
  clock.advance(61_000);
  await ask(RATES);
  await expect.poll(ended).toBe(1);
  expect(failures()).toBe(1);
});

test('everything is served without a file', async () => {
  const DATA_DIR = temporaryFolder();
  const { ask, log } = await open({ env: { DATA_DIR, KEPT_MAX_BYTES: '0' } });
  expect((await ask(RATES)).errors).toEqual([]);
  expect(readdirSync(DATA_DIR).filter((name) => name.startsWith('shared'))).toEqual([]);
  expect(log()).not.toContain('shared');
});

test('the file stays below KEPT_MAX_BYTES, and keeps what was stored last', async () => {
  const DATA_DIR = temporaryFolder();
  // All answers together would take 190,000 bytes.
  const maxBytes = 150_000;
  const { ask, another } = await open({ env: { DATA_DIR, KEPT_MAX_BYTES: String(maxBytes) } });
  const history = (pair: string) =>
    `{ fxRate(pair: "${pair}") { history(start: "2000-01-01") { change } } }`;
  const pairs = ['USDTRY', 'EURTRY', 'GBPTRY', 'CHFTRY', 'JPYTRY', 'AUDTRY', 'CADTRY', 'SEKTRY'];
  for (const pair of pairs) expect((await ask(history(pair))).errors).toEqual([]);
  const db = otherProcess(DATA_DIR);
  const last = db.prepare(`SELECT key FROM answers WHERE key LIKE '%${pairs.at(-1)}'`);
  await expect.poll(() => last.all().length).toBe(1);
  const size = db.prepare(
    'SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size',
  );
  await expect.poll(() => Number(size.get()?.['n'])).toBeLessThan(maxBytes * 1.1);
  expect(rows(DATA_DIR)).toBeGreaterThan(pairs.length / 2);
  expect(rows(DATA_DIR)).toBeLessThan(pairs.length + 1);
  db.close();
  const later = await another({ DATA_DIR });
  // The rates were stored first, so they are gone.
  expect(await later.cost('{ fxRates { totalCount } }')).toBe(1);
  expect(await later.cost(history(pairs.at(-1)!))).toBe(0);
});

test('answers that another version has stored are neither read nor removed', async () => {
  const DATA_DIR = temporaryFolder();
  const { ask, another } = await open({ env: { DATA_DIR } });
  await ask(LIST);
  await stored(DATA_DIR, 1);
  const db = otherProcess(DATA_DIR);
  db.exec(`UPDATE answers SET key = 'other version ' || key`);
  // The same key, in a form that this version does not know.
  db.exec(`INSERT INTO answers SELECT number + 1, substr(key, 15), '{"form":"of the future"}', body,
    writer, stored_at, gone_at FROM answers`);
  db.close();
  const other = await another({ DATA_DIR });
  expect(await other.cost(LIST)).toBe(1);
  expect(await (await another({ DATA_DIR })).cost(LIST)).toBe(0);
  await stored(DATA_DIR, 3);
});
