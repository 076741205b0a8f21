import { DatabaseSync } from 'node:sqlite';
import { isLocked } from './failures.ts';

/** Opens a database. At the start of a process, when nobody is served yet, it may wait for other processes. */

/** So long a statement, and all of it, may wait for other processes. */
export const PATIENT_MS = 2000;
const AGAIN_MS = 10;

/**
 * Of several processes that make a new file at the same time some are told that it is locked, however long they would
 * wait: SQLite does not wait where two would wait for each other. They try again. Throws what `prepare` throws.
 */
export function openAtStart<T>(path: string, prepare: (db: DatabaseSync) => T) {
  const end = performance.now() + PATIENT_MS;
  for (;;)
    try {
      return openOnce(path, prepare, PATIENT_MS);
    } catch (error) {
      if (!isLocked(error) || performance.now() >= end) throw error;
      pauseThread();
    }
}

/** Lets other processes go on for a moment. */
export function pauseThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
}

/** Whether a file was changed so lately that somebody may still be making it: whoever takes longer has failed, or has died. */
export const isRecent = (mtimeMs: number): boolean => Math.abs(Date.now() - mtimeMs) < PATIENT_MS;

/** `busyMs`: how long a statement may wait for other processes. */
export function openOnce<T>(path: string, prepare: (db: DatabaseSync) => T, busyMs: number) {
  const db = new DatabaseSync(path, { timeout: busyMs });
  try {
    return { db, prepared: prepare(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}
