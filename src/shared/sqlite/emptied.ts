import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ANSWERS_FILE, walOf } from './names.ts';
import { isRecent, pauseThread } from './start.ts';

/**
 * Whether the ledger has lost its contents, like a copy made on a full disk: SQLite takes an empty file for a new one.
 * The log and the kept answers beside it are written only once the ledger has contents. They are checked first, so that
 * files which another process is just creating are not taken for a loss; while it may be creating the ledger, this
 * waits.
 */
export function isEmptied(path: string): boolean {
  const beside = [walOf(path), join(dirname(path), ANSWERS_FILE)];
  if (!beside.some((name) => (statOf(name)?.size ?? 0) > 0)) return false;
  for (;;) {
    const stat = statOf(path);
    if (stat?.size !== 0) return false;
    if (!isRecent(stat.mtimeMs)) return true;
    pauseThread();
  }
}

const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });
