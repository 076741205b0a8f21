import type { DatabaseSync } from 'node:sqlite';

/** Runs `task` as one transaction, in which nobody else writes: all of it is written, or nothing. */
export function inTransaction<T>(db: DatabaseSync, task: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = task();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
