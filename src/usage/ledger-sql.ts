import type { DatabaseSync } from 'node:sqlite';
import type { Meter } from '../meters.ts';

/**
 * The SQL of the ledger: one row for each month and meter. Every function throws where the database is
 * locked, full, damaged or closed.
 */

type Row = Readonly<{ month: string; meter: Meter }>;

/** How long a statement waits for a lock of another process; meanwhile this process does nothing else. */
export function setPatience(db: DatabaseSync, ms: number): void {
  db.exec(`PRAGMA busy_timeout = ${ms}`);
}

export function prepareUnits(db: DatabaseSync) {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec(
    `CREATE TABLE IF NOT EXISTS units (
      month TEXT NOT NULL, meter TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (month, meter)
    ) WITHOUT ROWID`,
  );
  // Numbers that JavaScript cannot hold are read as the largest that it can.
  const used = `min(used, ${Number.MAX_SAFE_INTEGER}) AS used`;
  const select = db.prepare(`SELECT ${used} FROM units WHERE month = ? AND meter = ?`);
  const upsert = db.prepare(
    `INSERT INTO units SELECT ?1, ?2, ?3 WHERE ?3 <= ?4
      ON CONFLICT DO UPDATE SET used = used + ?3 WHERE used + ?3 <= ?4 RETURNING ${used}`,
  );
  const read = ({ month, meter }: Row) => Number(select.get(month, meter)?.['used'] ?? 0);

  /**
   * Adds in one statement, so that processes sharing the file cannot pass the limit together. Returns
   * what is used then; null, and adds nothing, where that would pass the limit.
   */
  function add({ month, meter }: Row, units: number, limit = Number.MAX_SAFE_INTEGER) {
    // Read to the end: an error of the commit shows only then.
    const [row] = upsert.all(month, meter, units, limit);
    return row === undefined ? null : Number(row['used']);
  }

  /** Adds to several rows, all or none. Writes in any case, and so shows whether that is possible. */
  function addAll(all: ReadonlyMap<Row, number>): void {
    db.exec('BEGIN IMMEDIATE; PRAGMA user_version = 0');
    try {
      for (const [row, units] of all) add(row, units);
      select.get('', '');
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
  return { read, add, addAll };
}
