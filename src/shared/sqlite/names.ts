import { renameSync, rmSync } from 'node:fs';

/** The file names of a database: the file, and what SQLite keeps beside it. */

/** Used in place of a path: nothing outlives the process. */
export const IN_MEMORY = ':memory:';

export const LEDGER_FILE = 'ledger.sqlite';

/** Name of the file of kept answers, beside the ledger. */
export const ANSWERS_FILE = 'shared.sqlite';

/** Returns the name of the write-ahead log, which holds the latest writes until SQLite moves them into the file. */
export const walOf = (path: string): string => `${path}-wal`;

/** Removes what SQLite keeps beside a file: it belongs to that file alone. */
export function removeSidecars(path: string): void {
  for (const name of [walOf(path), `${path}-shm`]) rmSync(name, { force: true });
}

/** Renames a damaged file, to make room for a new one; returns its new name. */
export function renameDamaged(path: string): string {
  const aside = `${path}.damaged`;
  renameSync(path, aside);
  removeSidecars(path);
  return aside;
}
