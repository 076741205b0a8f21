import { renameSync, rmSync } from 'node:fs';

/** A database by its name: the file, and what SQLite keeps beside it. */

/** In place of a file: nothing outlives the process. */
export const IN_MEMORY = ':memory:';

/** What the file of kept answers is called, which stands beside the ledger. */
export const ANSWERS_FILE = 'shared.sqlite';

/** What was written last, until SQLite moves it into the file. */
export const logOf = (path: string): string => `${path}-wal`;

/** What is beside a file belongs to that file alone. */
export function removeSidecars(path: string): void {
  for (const name of [logOf(path), `${path}-shm`]) rmSync(name, { force: true });
}

/** Makes room for a new file; returns the name that the damaged one has now. */
export function renameDamaged(path: string): string {
  const aside = `${path}.damaged`;
  renameSync(path, aside);
  removeSidecars(path);
  return aside;
}
