import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHistory, type History } from '../../src/shared/history.ts';
import { historyTable } from '../../src/shared/sqlite/history.ts';
import { historyInValkey } from '../../src/shared/valkey/history.ts';
import { openServer } from '../../src/shared/valkey/server.ts';
import { openProxy } from './faults.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Rows of numbers by hour, which are written a moment after they were added. */

const inTable = (db: DatabaseSync) => createHistory(historyTable(db));

test('values that were added can be read at once, with those that others have written', async () => {
  const db = new DatabaseSync(':memory:');
  const [one, other] = [inTable(db), inTable(db)];
  other.add('fx', 7, [1, 2]);
  other.flush();
  one.add('fx', 7, [10]);
  one.add('macro', 7, [5]);
  expect(await one.read('fx', 0)).toEqual(new Map([[7, [11, 2]]]));
  expect(await other.read('fx', 0)).toEqual(new Map([[7, [11, 2]]]));
});

test('values that cannot be written can still be read, and are written later, once', async () => {
  const stored = new Map([[7, [1]]]);
  const disk = { isFull: true };
  const history = createHistory({
    read: (_name, fromHour) => new Map([...stored].filter(([hour]) => hour >= fromHour)),
    write(_name, hour, values) {
      if (disk.isFull) throw new Error('full');
      stored.set(hour, [(stored.get(hour)?.[0] ?? 0) + values[0]!]);
    },
  });
  history.add('fx', 7, [10]);
  history.add('fx', 6, [3]);
  expect(await history.read('fx', 7)).toEqual(new Map([[7, [11]]]));
  disk.isFull = false;
  for (let i = 0; i < 2; i += 1) expect(await history.read('fx', 7)).toEqual(new Map([[7, [11]]]));
  expect(stored.get(6)).toEqual([3]);
});

test('a clock that is far ahead for a moment removes no rows but old ones', async () => {
  const { before, after } = await rowsNearWrongClock(inTable(new DatabaseSync(':memory:')));
  expect(before).toEqual(KEPT);
  expect(after).toEqual([1900, 2005, 2006, 9000]);
});

const KEPT = [...Array.from({ length: 11 }, (_, i) => 1000 + i), 9000];

/** Returns the hours of the rows that are kept beside one by a wrong clock: soon after it, and five weeks later. */
async function rowsNearWrongClock(history: History) {
  const rows = async () => [...(await history.read('fx', 0)).keys()].toSorted((a, b) => a - b);
  const add = (hour: number) => {
    history.add('fx', hour, [1]);
    history.flush();
  };
  for (let hour = 1000; hour < 1010; hour += 1) add(hour);
  add(9000);
  add(1010);
  const before = await rows();
  for (const hour of [1900, 2005, 2006]) add(hour);
  return { before, after: await rows() };
}

test('it rejects, and never throws, if rows cannot be read', async () => {
  const db = new DatabaseSync(':memory:');
  const history = inTable(db);
  db.close();
  await expect(history.read('fx', 0)).rejects.toThrow('finalized');
});

describe.skipIf(NO_SERVER)('on a server', () => {
  async function open(url: string) {
    const server = openServer({ url, onTrouble: { begins() {}, ends() {} } });
    onTestFinished(server.close);
    await server.ready(1000);
    return { server, history: historyInValkey({ server, base: '{test}:' }) };
  }

  test('a clock that is far ahead for a moment removes no rows but old ones', async () => {
    const { url } = await startValkey();
    const { history } = await open(url);
    const { before, after } = await rowsNearWrongClock(history);
    expect(before).toEqual(KEPT);
    expect(after).toEqual([1900, 2005, 2006, 9000]);
  });

  test('values that were added before it is closed are stored', async () => {
    const { url } = await startValkey();
    const proxy = await openProxy(url);
    proxy.slow(20);
    const { server, history } = await open(proxy.url);
    history.add('fx', 7, [1, 2]);
    await history.close();
    server.close();
    const { history: later } = await open(url);
    expect(await later.read('fx', 0)).toEqual(new Map([[7, [1, 2]]]));
  });

  test('values that were added while the server was away are stored when it is back', async () => {
    const { url } = await startValkey();
    const proxy = await openProxy(url);
    const { server, history } = await open(proxy.url);
    proxy.cut();
    await expect(history.read('fx', 0)).rejects.toThrow('cannot be read now');
    history.add('fx', 7, [1]);
    history.flush();
    proxy.restore();
    await expect.poll(server.isAway).toBe(false);
    history.flush();
    const { history: other } = await open(url);
    await expect.poll(() => other.read('fx', 0)).toEqual(new Map([[7, [1]]]));
  });
});
