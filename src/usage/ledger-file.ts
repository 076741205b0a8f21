import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Meter } from '../meters.ts';

/**
 * The ledger's file, in SQLite: one row for each month and meter. Several processes may share it, and
 * write-ahead logging survives a killed one. Without a folder it is kept in memory.
 */
export function openLedgerFile(dataDir: string | undefined) {
  if (dataDir !== undefined) mkdirSync(dataDir, { recursive: true });
  const file = dataDir === undefined ? ':memory:' : join(dataDir, 'ledger.sqlite');
  const db = new DatabaseSync(file, { timeout: 2000 });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec(
    `CREATE TABLE IF NOT EXISTS units (
      month TEXT NOT NULL, meter TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (month, meter)
    ) WITHOUT ROWID`,
  );
  const read = db.prepare('SELECT used FROM units WHERE month = ? AND meter = ?');
  const add = db.prepare(
    `INSERT INTO units SELECT ?1, ?2, ?3 WHERE ?3 <= ?4
      ON CONFLICT DO UPDATE SET used = used + ?3 WHERE used + ?3 <= ?4 RETURNING used`,
  );
  // Answers may still be written while a process stops: once the file is closed it stays as it is.
  return {
    read(month: string, meter: Meter): number | undefined {
      return db.isOpen ? Number(read.get(month, meter)?.['used'] ?? 0) : undefined;
    },
    /** Adds in one statement, so that processes sharing the file cannot pass the limit together. */
    add(month: string, meter: Meter, units: number, limit?: number): number | undefined {
      if (!db.isOpen) return undefined;
      const row = add.get(month, meter, units, limit ?? Number.MAX_SAFE_INTEGER);
      return row === undefined ? undefined : Number(row['used']);
    },
    close: () => db.close(),
  };
}
