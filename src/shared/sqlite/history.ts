import type { DatabaseSync } from 'node:sqlite';
import { KEPT_SLOTS, readRow, type StoredRows, sumOf } from '../history.ts';
import { inTransaction } from './transaction.ts';

/** Stores the rows of a history (numbers by slot) in the ledger file. Throws if the database cannot be used. */
export function historyTable(db: DatabaseSync): StoredRows {
  // The column `meter` holds the history's name: a meter, or a row of observe/tallies.ts; `hour` its slot.
  db.exec(
    `CREATE TABLE IF NOT EXISTS history (
      meter TEXT NOT NULL, hour INTEGER NOT NULL, numbers TEXT NOT NULL, PRIMARY KEY (meter, hour)
    ) WITHOUT ROWID`,
  );
  const one = db.prepare('SELECT numbers FROM history WHERE meter = ? AND hour = ?');
  const since = db.prepare('SELECT hour, numbers FROM history WHERE meter = ? AND hour >= ?');
  const set = db.prepare(
    `INSERT INTO history (meter, hour, numbers) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET numbers = excluded.numbers`,
  );
  // Age is counted from the last slot before this one: if the clock is far ahead for a moment, no row is lost.
  const removeOld = db.prepare(
    `DELETE FROM history WHERE meter = ?
    AND hour < (SELECT max(hour) FROM history WHERE meter = ? AND hour < ?) - ${KEPT_SLOTS}`,
  );

  function write(name: string, slot: number, values: readonly number[]): void {
    const stored = readRow(String(one.get(name, slot)?.['numbers'] ?? ''));
    set.run(name, slot, JSON.stringify(sumOf(stored, values)));
    removeOld.run(name, name, slot);
  }

  return {
    write: (name, slot, values) => inTransaction(db, () => write(name, slot, values)),
    read: (name, fromSlot) =>
      new Map(
        since
          .all(name, fromSlot)
          .map((row) => [Number(row['hour']), readRow(String(row['numbers']))]),
      ),
  };
}
