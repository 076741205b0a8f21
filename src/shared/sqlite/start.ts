import { DatabaseSync } from 'node:sqlite';
import { isLocked } from './failures.ts';

/** Opens a database. At the start of a process, before it serves, that may wait for other processes. */

/** How long a statement, and opening the database altogether, may wait for other processes. */
export const MAX_WAIT_MS = 2000;
const RETRY_MS = 10;

/**
 * Opens a database, and tries again while it is locked. If several processes create a file at the same time, SQLite
 * tells some of them at once that it is locked, because it does not let two wait for each other. Throws what `prepare`
 * throws.
 */
export function openAtStart<T>(path: string, prepare: (db: DatabaseSync) => T) {
  const end = performance.now() + MAX_WAIT_MS;
  for (;;)
    try {
      return openOnce(path, prepare, MAX_WAIT_MS);
    } catch (error) {
      if (!isLocked(error) || performance.now() >= end) throw error;
      pauseThread();
    }
}

/** Blocks this process for a moment, so that others can go on. */
export function pauseThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
}

/** Whether a file was just changed, and may still be in the making: a process that takes longer has failed, or died. */
export const isRecent = (mtimeMs: number): boolean => Math.abs(Date.now() - mtimeMs) < MAX_WAIT_MS;

/** Opens a database without trying again. `busyMs`: how long a statement may wait for other processes. */
export function openOnce<T>(path: string, prepare: (db: DatabaseSync) => T, busyMs: number) {
  const db = new DatabaseSync(path, { timeout: busyMs });
  try {
    return { db, prepared: prepare(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}
