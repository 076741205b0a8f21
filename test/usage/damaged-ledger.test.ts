import { copyFileSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { access, open, temporaryFolder } from '../harness.ts';
import { stored } from '../shared/stored.ts';
import { open as openLedger, reserve } from './opened.ts';

/** A ledger that is no longer a database, or not a complete one, as after a power failure. */

const RATES = '{ fxRates(first: 1) { nodes { pair } } }';
const inFolder = (folder: string) => join(folder, 'ledger.sqlite');

/** Copies a ledger with counted units, and its log, as they are while a process has it open. */
function copyOfLedger(): string {
  const [dataDir, folder] = [temporaryFolder(), temporaryFolder()];
  reserve(openLedger({ dataDir }), 'fx')?.end({ units: 1 });
  for (const name of ['ledger.sqlite', 'ledger.sqlite-wal'])
    copyFileSync(join(dataDir, name), join(folder, name));
  return folder;
}

function notADatabase(): string {
  const folder = temporaryFolder();
  writeFileSync(inFolder(folder), 'this is no database, however long it is'.repeat(500));
  return folder;
}

/** SQLite would take it for a new one. Its time says that no process is creating it. */
function empty(folder: string): string {
  writeFileSync(inFolder(folder), '');
  utimesSync(inFolder(folder), 0, 0);
  return folder;
}

/** Like a copy that was put in its place while the disk was full. */
async function emptyBesideAnswers(): Promise<string> {
  const folder = temporaryFolder();
  const { ask } = await open({ env: { DATA_DIR: folder } });
  await ask('{ cryptoAssets(first: 1) { totalCount } }');
  await stored(folder, 1);
  const copy = temporaryFolder();
  for (const name of ['shared.sqlite', 'shared.sqlite-wal'])
    copyFileSync(join(folder, name), join(copy, name));
  return empty(copy);
}

const PAGE_BYTES = 4096;

/** Damages the page of one table; the one with the names of tables is intact. */
async function withDamagedPage(): Promise<string> {
  const dataDir = temporaryFolder();
  const opened = openLedger({ dataDir });
  reserve(opened, 'fx')?.end({ units: 1 });
  await opened.ledger.close();
  const bytes = readFileSync(inFolder(dataDir));
  writeFileSync(inFolder(dataDir), bytes.fill(0, PAGE_BYTES, 2 * PAGE_BYTES));
  return dataDir;
}

const DAMAGES: [what: string, damage: () => string | Promise<string>][] = [
  ['no database', notADatabase],
  ['empty, but its log is not', () => empty(copyOfLedger())],
  ['empty, but answers are kept beside it', emptyBesideAnswers],
  ['damaged in one place', withDamagedPage],
];

describe.each(DAMAGES)('a file that is %s', (_what, damage) => {
  test('is put aside if nothing is limited, which is logged once, and a new one counts', async () => {
    const folder = await damage();
    const { ask, log } = await open({ env: { DATA_DIR: folder } });
    const { extensions } = await ask(RATES);
    expect(extensions.usage.fx).toMatchObject({ used: 1, usedThisMonth: 1 });
    expect(existsSync(`${inFolder(folder)}.damaged`)).toBe(true);
    expect(log().match(/the ledger was damaged/g)).toHaveLength(1);
  });

  test('ends the start with a line that says what to do if a limit is set', async () => {
    const { sandbox } = await open();
    const env = { ...access(sandbox), DATA_DIR: await damage(), FX_MONTHLY_LIMIT: '10' };
    const started = createApp(readConfig(env), { log: pino({ level: 'silent' }) });
    await expect(started).rejects.toThrow(
      /^DATA_DIR: .*ledger.sqlite is damaged.*move the file away/,
    );
  });
});

test('a lone empty file counts as new: a first start leaves one if the disk is full', async () => {
  const env = { DATA_DIR: empty(temporaryFolder()), FX_MONTHLY_LIMIT: '10' };
  const { cost, log } = await open({ env });
  expect(await cost(RATES)).toBe(1);
  expect(log()).not.toContain('damaged');
});
