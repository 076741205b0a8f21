import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import { limited, open, reserve, usedOf } from './opened.ts';

/** The ledger's file is removed, or replaced by another one, while processes run. */

const reserved = (opened: Parameters<typeof reserve>[0], wanted: number) =>
  Array.from({ length: wanted }, () => reserve(opened, 'fx')).filter(Boolean).length;

function removeLedger(dataDir: string): void {
  for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name));
}

test.for<[what: string, remove: (dataDir: string) => void]>([
  ['the file', (dataDir) => rmSync(join(dataDir, 'ledger.sqlite'))],
  ['the file, and what belongs to it', removeLedger],
  ['the folder', (dataDir) => rmSync(dataDir, { recursive: true })],
])('a limit holds, and no unit is forgotten, if somebody removes %s', async ([, remove]) => {
  const dataDir = join(temporaryFolder(), 'data');
  mkdirSync(dataDir);
  const options = { dataDir, ...limited(7) };
  const [one, other] = [open(options), open(options)];
  expect([reserved(one, 2), reserved(other, 1)]).toEqual([2, 1]);
  remove(dataDir);
  expect([reserved(one, 1), reserved(other, 1), reserved(one, 9)]).toEqual([1, 1, 2]);
  expect(reserved(open(options), 9)).toBe(0);
  expect([one.trouble, other.trouble]).toEqual([['moved'], ['moved']]);
});

test('counted units are added once to a file that another process has created', () => {
  const dataDir = temporaryFolder();
  const options = { dataDir, ...limited(7) };
  const [one, other] = [open(options), open(options)];
  reserved(one, 2);
  removeLedger(dataDir);
  const third = open(options);
  expect(reserved(third, 3)).toBe(3);
  expect([reserved(one, 1), reserved(other, 9)]).toEqual([1, 1]);
  expect(reserved(third, 9)).toBe(0);
  expect(usedOf(open(options))).toBe(7);
});

test('a file that comes back is used again, and nothing is counted twice', () => {
  const dataDir = temporaryFolder();
  const [path, aside] = ['ledger.sqlite', 'aside'].map((name) => join(dataDir, name));
  const opened = open({ dataDir });
  reserved(opened, 2);
  renameSync(path!, aside!);
  renameSync(aside!, path!);
  expect(reserved(opened, 1)).toBe(1);
  expect([usedOf(opened), opened.trouble]).toEqual([3, []]);
});

test('if somebody removes the log beside the file, its last units still count', () => {
  const dataDir = temporaryFolder();
  const options = { dataDir, ...limited(7) };
  const [one, other] = [open(options), open(options)];
  expect([reserved(one, 2), reserved(other, 1)]).toEqual([2, 1]);
  for (const end of ['wal', 'shm']) rmSync(join(dataDir, `ledger.sqlite-${end}`));
  expect(reserved(one, 2)).toBe(2);
  const third = open(options);
  expect([reserved(third, 1), reserved(other, 9), reserved(one, 9)]).toEqual([1, 1, 0]);
  expect(reserved(open(options), 9)).toBe(0);
  expect([one.trouble, other.trouble]).toEqual([['moved'], ['moved']]);
});

test.for<[what: string, remove: (dataDir: string) => void]>([
  ['', () => undefined],
  [', and no log', removeLedger],
])('an earlier copy in the place of the file%s receives what was counted since', ([, remove]) => {
  const dataDir = temporaryFolder();
  const [path, copy] = [join(dataDir, 'ledger.sqlite'), join(temporaryFolder(), 'copy')];
  const options = { dataDir, ...limited(7) };
  const [one, other] = [open(options), open(options)];
  reserved(one, 2);
  const backup = new DatabaseSync(path);
  backup.prepare('VACUUM INTO ?').run(copy);
  backup.close();
  reserved(other, 3);
  remove(dataDir);
  renameSync(copy, path);
  expect([reserved(one, 1), reserved(other, 9), reserved(open(options), 9)]).toEqual([1, 1, 0]);
});

test('a unit given back while two processes move to a new file is not counted again', () => {
  const dataDir = temporaryFolder();
  const options = { dataDir, ...limited(7) };
  const [one, other] = [open(options), open(options)];
  const back = reserve(one, 'fx');
  reserved(other, 1);
  removeLedger(dataDir);
  back?.end({ units: 0 });
  expect(reserved(other, 9)).toBe(6);
});

test('a process that ends before it counts again saves its counts', async () => {
  const dataDir = temporaryFolder();
  const opened = open({ dataDir });
  for (let i = 0; i < 3; i += 1) reserve(opened, 'fx')?.end({ units: 1 });
  removeLedger(dataDir);
  await opened.ledger.close();
  expect(usedOf(open({ dataDir }))).toBe(3);
});
