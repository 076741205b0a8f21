import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ANSWERS_FILE, logOf } from './names.ts';
import { isRecent, pauseThread } from './start.ts';

/**
 * Whether the ledger has lost all that was in it, as a copy has that found the disk full: SQLite takes an empty file for a
 * new one. Its log and the kept answers are written only once the ledger has something in it. They are looked at first, so
 * that nothing is wrong where another process makes all of it just now; while it may be making the ledger, this waits.
 */
export function isEmptied(path: string): boolean {
  const beside = [logOf(path), join(dirname(path), ANSWERS_FILE)];
  if (!beside.some((name) => (stateOf(name)?.size ?? 0) > 0)) return false;
  for (;;) {
    const state = stateOf(path);
    if (state?.size !== 0) return false;
    if (!isRecent(state.mtimeMs)) return true;
    pauseThread();
  }
}

const stateOf = (path: string) => statSync(path, { throwIfNoEntry: false });
