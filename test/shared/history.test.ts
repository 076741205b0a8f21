import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createHistory } from '../../src/shared/history.ts';
import { historyInSqlite } from '../../src/shared/sqlite/history.ts';

/** Rows of numbers by hour, which are written a moment after they were added. */

test('what was added is read at once, with what others have written', async () => {
  const db = new DatabaseSync(':memory:');
  const [one, other] = [historyInSqlite(db), historyInSqlite(db)];
  other.add('fx', 7, [1, 2]);
  other.flush();
  one.add('fx', 7, [10]);
  one.add('macro', 7, [5]);
  expect(await one.read('fx', 0)).toEqual(new Map([[7, [11, 2]]]));
  expect(await other.read('fx', 0)).toEqual(new Map([[7, [11, 2]]]));
});

test('what cannot be written is read, too, and written later, once', async () => {
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
