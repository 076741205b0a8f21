import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import { fileIn } from './stored.ts';

/** Processes that start together while there is no ledger: each creates it, or finds it created. */

const LEDGER = fileURLToPath(new URL('../../src/shared/sqlite/units.ts', import.meta.url));
const PROCESSES = 3;
const ROUNDS = 30;

/** A program that opens a ledger for each path that it is sent, so that all processes do it at the same moment. */
const OPENER = `
  const { unitsInSqlite } = await import(${JSON.stringify(LEDGER)});
  const onTrouble = { begins() {}, ends() {} };
  process.stdout.write('ready\\n');
  for await (const lines of process.stdin.setEncoding('utf8'))
    for (const path of lines.trim().split('\\n')) unitsInSqlite({ path, now: Date.now, onTrouble });
`;

const movedAway = () => {
  const folder = temporaryFolder();
  writeFileSync(fileIn(folder), 'answers');
  return folder;
};

test.each([
  ['in a new folder no process finds the ledger locked', temporaryFolder],
  [
    'beside kept answers no process mistakes the ledger that another one creates for a damaged one',
    movedAway,
  ],
])('%s', async (_what, makeFolder) => {
  const openers = Array.from({ length: PROCESSES }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', OPENER]),
  );
  const problems = openers.map(({ stderr }) => text(stderr));
  const ended = openers.map((opener) => once(opener, 'exit'));
  await Promise.all(openers.map(({ stdout }) => once(stdout, 'data')));
  for (let round = 0; round < ROUNDS; round += 1) {
    const path = join(makeFolder(), 'ledger.sqlite');
    for (const { stdin } of openers) stdin.write(`${path}\n`);
  }
  for (const { stdin } of openers) stdin.end();
  expect(await Promise.all(problems)).toEqual(openers.map(() => ''));
  expect(await Promise.all(ended)).toEqual(openers.map(() => [0, null]));
});
