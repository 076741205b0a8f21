import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { Maybe } from '../../maybe.ts';
import type { Clock } from '../../time.ts';
import type { OnTrouble } from '../trouble.ts';
import { isDamage, isLocked, isReadOnly } from './failures.ts';
import { renameDamaged } from './names.ts';
import { openOnce } from './start.ts';

/**
 * A SQLite file that several processes share and that may fail at any time without anybody noticing
 * but the log: a damaged file is put aside and a new one begun; while it is locked, full or cannot be
 * reached in another way, it is left alone for a while.
 */
export interface SqliteFile<P> {
  /** What `task` reads; undefined where the file cannot be used now. */
  attempt<T>(task: (prepared: P) => T): T | undefined;
  /**
   * The same for what matters more than a moment: while the file is locked, tries again for a while. `write much`: so much
   * that a full disk shows.
   */
  insist<T>(task: (prepared: P) => T, ability?: 'write' | 'write much'): Maybe<T | undefined>;
  close(): void;
}

interface SqliteFileOptions<P> {
  path: string;
  /** Makes the tables and statements of a file that was opened. */
  prepare(db: DatabaseSync): P;
  monotonic: Clock;
  onTrouble: FileTrouble;
}

export interface FileTrouble extends OnTrouble {
  /** The file was damaged: it now has the name `as`. */
  putAside(as: string): void;
}

/** A statement that finds the file locked waits no longer: everybody else waits meanwhile. */
const BUSY_MS = 5;
/** How often and after how long a locked file is tried again. */
const LOCKED = { tries: 10, pauseMs: 10 };
const PAUSE_AFTER_FAILURE_MS = 1000;
/** How often we check that the file still has its name. */
const LOOK_MS = 1000;

/** What can be done with a file; each needs what those before it need. */
const ABILITIES = { read: 1, write: 2, 'write much': 3 };
type Ability = keyof typeof ABILITIES;

export function openSqliteFile<P>(options: SqliteFileOptions<P>): SqliteFile<P> {
  const { path, monotonic, onTrouble } = options;
  let opened: { db: DatabaseSync; prepared: P; inode: number } | undefined;
  let lookedAt = -Infinity;
  let pausedUntil = -Infinity;
  let isTold = false;
  /**
   * What must succeed until the trouble is over. That a locked file can be read says nothing, nor does it that a little can
   * be written on a full disk.
   */
  let missing: Ability = 'read';
  let isClosed = false;

  function prepare(db: DatabaseSync): P {
    // Nothing waits for the disk: after a loss of power the file may be damaged, which is noticed.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    return options.prepare(db);
  }

  const open = () => ({ ...openOnce(path, prepare, BUSY_MS), inode: inodeOf(path) });

  /** Another process may have put the same file aside before: what has its name now is a new one. */
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
    if (!isTold) onTrouble.begins(String(error));
    isTold = true;
    const needed = isLocked(error) ? ability : 'write much';
    if (ABILITIES[needed] > ABILITIES[missing]) missing = needed;
    // A connection opened while the file was read-only stays read-only.
    if (isReadOnly(error)) closeFile();
  }

  function noteSuccess(ability: Ability): void {
    if (ABILITIES[ability] < ABILITIES[missing]) return;
    if (isTold) onTrouble.ends();
    isTold = false;
    missing = 'read';
  }

  /** Another process may have put the file aside, or somebody removed it. */
  function checkName(): void {
    if (monotonic() - lookedAt < LOOK_MS) return;
    lookedAt = monotonic();
    if (opened && opened.inode !== inodeOf(path)) closeFile();
  }

  function run<T>(task: (prepared: P) => T, ability: Ability): T {
    checkName();
    opened ??= open();
    const result = task(opened.prepared);
    noteSuccess(ability);
    return result;
  }

  /** Throws only where the file is locked. */
  function attempt<T>(task: (prepared: P) => T, ability: Ability): T | undefined {
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

  async function tryAgain<T>(task: (prepared: P) => T, ability: Ability): Promise<T | undefined> {
    for (let tries = 1; ; tries += 1) {
      await pause(LOCKED.pauseMs);
      try {
        return attempt(task, ability);
      } catch (error) {
        if (tries >= LOCKED.tries) return noteFailure(error, ability);
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

/** 0 where nothing has the name. */
export const inodeOf = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
