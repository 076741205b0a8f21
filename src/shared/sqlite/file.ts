import { renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { Maybe } from '../../maybe.ts';
import type { Clock } from '../../time.ts';

/**
 * A SQLite file that several processes share and that may fail at any time without anybody noticing
 * but the log: a damaged file is put aside and a new one begun; while it is locked, full or cannot be
 * reached in another way, it is left alone for a while.
 */
export interface SqliteFile<P> {
  /** What `task` returns; undefined where the file cannot be used now. */
  attempt<T>(task: (prepared: P) => T): T | undefined;
  /**
   * The same for what matters more than a moment: while the file is locked, tries again for a while. `needsRoom`: it
   * writes so much that a full disk shows.
   */
  insist<T>(task: (prepared: P) => T, needsRoom?: boolean): Maybe<T | undefined>;
  close(): void;
}

export interface SqliteFileOptions<P> {
  path: string;
  /** Makes the tables and statements of a file that was opened. */
  prepare(db: DatabaseSync): P;
  monotonic: Clock;
  onTrouble: FileTrouble;
}

export interface FileTrouble {
  /** Called once for a trouble that lasts, with its reason. */
  begins(reason: string): void;
  ends(): void;
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

/** Primary result codes of SQLite. */
const BUSY = 5;
const DAMAGED = new Set([11, 26]);

export function openSqliteFile<P>(options: SqliteFileOptions<P>): SqliteFile<P> {
  const { path, monotonic, onTrouble } = options;
  let opened: { db: DatabaseSync; prepared: P; inode: number } | undefined;
  let lookedAt = -Infinity;
  let pausedUntil = -Infinity;
  let isTold = false;
  /** Where the file was more than locked: that it can be read, or a little be written, says nothing of a full disk. */
  let mustFindRoom = false;
  let isClosed = false;

  function open() {
    const db = new DatabaseSync(path, { timeout: BUSY_MS });
    try {
      // Nothing waits for the disk: after a loss of power the file may be damaged, which is noticed.
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
      return { db, prepared: options.prepare(db), inode: inodeOf(path) };
    } catch (error) {
      db.close();
      throw error;
    }
  }

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

  function noteFailure(error: unknown): undefined {
    pausedUntil = monotonic() + PAUSE_AFTER_FAILURE_MS;
    if (!isTold) onTrouble.begins(String(error));
    isTold = true;
    mustFindRoom ||= !isLocked(error);
  }

  function noteSuccess(): void {
    if (isTold) onTrouble.ends();
    isTold = mustFindRoom = false;
  }

  /** Another process may have put the file aside, or somebody removed it. */
  function checkName(): void {
    if (monotonic() - lookedAt < LOOK_MS) return;
    lookedAt = monotonic();
    if (opened && opened.inode !== inodeOf(path)) closeFile();
  }

  function run<T>(task: (prepared: P) => T, needsRoom: boolean): T {
    checkName();
    opened ??= open();
    const result = task(opened.prepared);
    if (needsRoom || !mustFindRoom) noteSuccess();
    return result;
  }

  /** Throws only where the file is locked. */
  function attempt<T>(task: (prepared: P) => T, needsRoom = false): T | undefined {
    if (isClosed || monotonic() < pausedUntil) return undefined;
    try {
      return run(task, needsRoom);
    } catch (error) {
      if (isLocked(error)) throw error;
      if (!isDamage(error)) return noteFailure(error);
    }
    try {
      putAside();
      return run(task, needsRoom);
    } catch (error) {
      return noteFailure(error);
    }
  }

  async function tryAgain<T>(
    task: (prepared: P) => T,
    needsRoom?: boolean,
  ): Promise<T | undefined> {
    for (let tries = 1; ; tries += 1) {
      await pause(LOCKED.pauseMs);
      try {
        return attempt(task, needsRoom);
      } catch (error) {
        if (tries >= LOCKED.tries) return noteFailure(error);
      }
    }
  }

  return {
    attempt(task) {
      try {
        return attempt(task);
      } catch {
        return undefined;
      }
    },
    insist(task, needsRoom) {
      try {
        return attempt(task, needsRoom);
      } catch {
        return tryAgain(task, needsRoom);
      }
    },
    close() {
      isClosed = true;
      closeFile();
    },
  };
}

/** Whether an error says that another process has locked the file. */
export const isLocked = (error: unknown): boolean => codeOf(error) === BUSY;

/** Whether an error says that a file is no database, or not a whole one. */
export const isDamage = (error: unknown): boolean => DAMAGED.has(codeOf(error));

/** Makes room for a new file; returns the name that the damaged one has now. */
export function renameDamaged(path: string): string {
  const aside = `${path}.damaged`;
  renameSync(path, aside);
  removeSidecars(path);
  return aside;
}

/** What SQLite keeps beside a file belongs to that file alone. */
export function removeSidecars(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
}

function codeOf(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  // The upper bits tell more about the same.
  return code & 0xff;
}

/** 0 where nothing has the name. */
export const inodeOf = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
