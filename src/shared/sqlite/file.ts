import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { Maybe } from '../../maybe.ts';
import type { Clock } from '../../time.ts';
import type { OnTrouble } from '../trouble.ts';
import { prepareTables, type Tables } from './answer-tables.ts';
import { isDamage, isLocked, isReadOnly } from './failures.ts';
import { renameDamaged } from './names.ts';
import { openOnce } from './start.ts';

/**
 * The SQLite file of answers and flights, which several processes share. It may fail at any time with no effect but an
 * entry in the log: a damaged file is put aside and a new one begun; one that is locked, full or otherwise unusable is
 * left alone for a while.
 */
export interface SqliteFile {
  /** Returns what `task` reads; undefined if the file cannot be used at present. */
  attempt<T>(task: (tables: Tables) => T): T | undefined;
  /**
   * Like `attempt`, but retries for a while if the file is locked. `write much`: writes so much that a full disk shows.
   */
  insist<T>(task: (tables: Tables) => T, ability?: 'write' | 'write much'): Maybe<T | undefined>;
  close(): void;
}

interface SqliteFileOptions {
  path: string;
  monotonic: Clock;
  onTrouble: FileTrouble;
}

export interface FileTrouble extends OnTrouble {
  /** Called when a damaged file was put aside under the name `as`. */
  putAside(as: string): void;
}

/** How long a statement waits for a locked file: everything else in the process waits meanwhile. */
const BUSY_TIMEOUT_MS = 5;
/** How many times, and at what interval, a locked file is tried again. */
const LOCKED_RETRY = { tries: 10, pauseMs: 10 };
const PAUSE_AFTER_FAILURE_MS = 1000;
/** How often to check that the file still has its name. */
const CHECK_NAME_MS = 1000;

/** What a file can be used for; each ability includes those before it. */
const ABILITIES = { read: 1, write: 2, 'write much': 3 };
type Ability = keyof typeof ABILITIES;

export function openSqliteFile({ path, monotonic, onTrouble }: SqliteFileOptions): SqliteFile {
  let opened: { db: DatabaseSync; prepared: Tables; inode: number } | undefined;
  let nameCheckedAt = -Infinity;
  let pausedUntil = -Infinity;
  let isReported = false;
  /**
   * What must succeed before the trouble counts as over: that a locked file can be read says nothing, nor does a small
   * write to a full disk.
   */
  let neededToRecover: Ability = 'read';
  let isClosed = false;

  const open = () => ({ ...openOnce(path, prepare, BUSY_TIMEOUT_MS), inode: inodeOf(path) });

  /** Puts the damaged file aside, unless another process has done so: then its name belongs to a new file. */
  function putAside(): void {
    const damaged = opened?.inode ?? inodeOf(path);
    closeFile();
    if (damaged === inodeOf(path)) onTrouble.putAside(renameDamaged(path));
  }

  function closeFile(): void {
    const last = opened;
    opened = undefined;
    try {
      last?.db.close();
    } catch {
      // What could not be written is lost, which costs a unit at most.
    }
  }

  function noteFailure(error: unknown, ability: Ability): undefined {
    pausedUntil = monotonic() + PAUSE_AFTER_FAILURE_MS;
    if (!isReported) onTrouble.begins(String(error));
    isReported = true;
    const needed = isLocked(error) ? ability : 'write much';
    if (ABILITIES[needed] > ABILITIES[neededToRecover]) neededToRecover = needed;
    // A connection opened while the file was read-only stays read-only.
    if (isReadOnly(error)) closeFile();
  }

  function noteSuccess(ability: Ability): void {
    if (ABILITIES[ability] < ABILITIES[neededToRecover]) return;
    if (isReported) onTrouble.ends();
    isReported = false;
    neededToRecover = 'read';
  }

  /** Closes the file if it has lost its name: another process has put it aside, or somebody has removed it. */
  function checkName(): void {
    if (monotonic() - nameCheckedAt < CHECK_NAME_MS) return;
    nameCheckedAt = monotonic();
    if (opened && opened.inode !== inodeOf(path)) closeFile();
  }

  function run<T>(task: (tables: Tables) => T, ability: Ability): T {
    checkName();
    opened ??= open();
    const result = task(opened.prepared);
    noteSuccess(ability);
    return result;
  }

  /** Throws only if the file is locked. */
  function attempt<T>(task: (tables: Tables) => T, ability: Ability): T | undefined {
    if (isClosed || monotonic() < pausedUntil) return undefined;
    try {
      return run(task, ability);
    } catch (error) {
      if (isLocked(error)) throw error;
      if (!isDamage(error)) return noteFailure(error, ability);
    }
    try {
      putAside();
      return run(task, ability);
    } catch (error) {
      return noteFailure(error, ability);
    }
  }

  async function tryAgain<T>(
    task: (tables: Tables) => T,
    ability: Ability,
  ): Promise<T | undefined> {
    for (let tries = 1; ; tries += 1) {
      await pause(LOCKED_RETRY.pauseMs);
      try {
        return attempt(task, ability);
      } catch (error) {
        if (tries >= LOCKED_RETRY.tries) return noteFailure(error, ability);
      }
    }
  }

  return {
    attempt(task) {
      try {
        return attempt(task, 'read');
      } catch {
        return undefined;
      }
    },
    insist(task, ability = 'write') {
      try {
        return attempt(task, ability);
      } catch {
        return tryAgain(task, ability);
      }
    },
    close() {
      isClosed = true;
      closeFile();
    },
  };
}

function prepare(db: DatabaseSync): Tables {
  // Nothing waits for the disk: a power loss may damage the file, which is detected.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  return prepareTables(db);
}

/** Returns the inode of a file; 0 if there is none of that name. */
export const inodeOf = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
