import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSqliteFile } from '../../src/shared/sqlite/file.ts';
import { createStorage, type Landed } from '../../src/shared/sqlite/storage.ts';
import { temporaryFolder } from '../harness.ts';
import { fileIn, rows } from './stored.ts';

/** How answers that arrive together are written to the file. */

const UNTIL = Number.MAX_SAFE_INTEGER;
const served = () => Promise.resolve();
const neverSettles = () => new Promise<void>(() => undefined);
const noTrouble = { begins: () => {}, ends: () => {}, putAside: () => {} };

function openStorage(whenServed: () => Promise<void>, monotonic = () => 0) {
  const folder = temporaryFolder();
  const options = { monotonic, onTrouble: noTrouble };
  const file = openSqliteFile({ ...options, path: fileIn(folder) });
  const counted = { pauses: 0 };
  const countPause = () => Promise.resolve((counted.pauses += 1));
  const about = { maxBytes: 100_000_000, writer: 'this one', now: () => 0 };
  const store = createStorage({ file, ...about, whenServed, pause: countPause, sleep: pause });

  /** Returns an answer of `length` characters that has arrived. */
  function arrivedAnswer(key: string, length: number): Landed {
    const answer = { asked: null, status: 200, body: key.padEnd(length, '.'), retrievedAt: 0 };
    const token = `${key}, ${length}`;
    file.attempt((tables) => tables.addFlight(token, key, 'null', 0, UNTIL));
    return { token, coverages: [{ key, asked: null }], answer, storedAt: 0, keepMs: UNTIL };
  }

  return { file, folder, counted, store, arrivedAnswer };
}

test('small answers that arrive together are written without a pause, and their requests no longer count as in flight', async () => {
  const { file, folder, counted, store, arrivedAnswer } = openStorage(served);
  const all = Array.from({ length: 100 }, (_, i) => arrivedAnswer(`key ${i}`, 1500));
  await Promise.all(all.map(store));
  expect([rows(folder), counted.pauses]).toEqual([100, 0]);
  const underWay = all.filter(({ token }) => file.attempt((tables) => tables.isUnderWay(token)));
  expect(underWay).toEqual([]);
});

test('others get a turn between large answers', async () => {
  const { folder, counted, store, arrivedAnswer } = openStorage(served);
  await Promise.all(
    [400_000, 400_000, 800_000].map((length, i) => store(arrivedAnswer(`${i}`, length))),
  );
  expect([rows(folder), counted.pauses]).toEqual([3, 2]);
});

test('of two answers to the same question, the one that came later is kept', async () => {
  const { file, store, arrivedAnswer } = openStorage(served);
  const [early, late] = [arrivedAnswer('key', 100), arrivedAnswer('key', 200)];
  await Promise.all([store(early), store(late)]);
  const kept = file.attempt((tables) => tables.read('key', undefined, 'another one', 0));
  expect(kept?.map(({ body }) => body.length)).toEqual([200]);
});

test('an answer that is past its end is neither read nor among the latest, even before it is removed', async () => {
  const { file, folder, store, arrivedAnswer } = openStorage(served);
  await store({ ...arrivedAnswer('old', 100), keepMs: 1000 });
  await store({ ...arrivedAnswer('new', 100), keepMs: 1001 });
  const found = (now: number) =>
    file.attempt((tables) => ({
      read: ['old', 'new'].filter((key) => tables.read(key, undefined, 'other', now).length > 0),
      later: ['old', 'new'].filter((key) => tables.read(key, 0, 'other', now).length > 0),
      latest: tables.latest(10, now).map(({ key }) => key),
    }));
  expect(found(999)).toEqual({
    read: ['old', 'new'],
    later: ['old', 'new'],
    latest: ['new', 'old'],
  });
  expect(found(1000)).toEqual({ read: ['new'], later: ['new'], latest: ['new'] });
  expect(rows(folder)).toBe(2);
});

test('an answer that another process waits for is written at once, with all that came before', async () => {
  const { file, folder, store, arrivedAnswer } = openStorage(neverSettles);
  const [early, awaited] = [arrivedAnswer('early', 100), arrivedAnswer('awaited', 100)];
  file.attempt((tables) => tables.awaitFlight(awaited.token));
  void store(early);
  await store(awaited);
  expect(rows(folder)).toBe(2);
});

test('answers that arrive while another process has the file locked are stored once it is free again', async () => {
  const { folder, store, arrivedAnswer } = openStorage(served, () => performance.now());
  const [first, second] = [arrivedAnswer('first', 100), arrivedAnswer('second', 100)];
  const other = new DatabaseSync(fileIn(folder));
  other.exec('BEGIN IMMEDIATE');
  const stored = store(first);
  // Longer than the file is waited for at first.
  await pause(400);
  other.exec('COMMIT');
  other.close();
  await Promise.all([stored, store(second)]);
  expect(rows(folder)).toBe(2);
});
