import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Account } from './account.ts';
import { prepareUnits, setPatience } from './ledger-sql.ts';
import type { LedgerOptions } from './units.ts';

/** A statement that finds the file locked waits no longer: everybody else waits meanwhile. */
const BUSY_MS = 2;
/** The same at start and at the end, when nobody is served. */
const PATIENT_MS = 2000;
/** After a failure the file is left alone for so long, twice as long after each further one. */
const TRY_AGAIN_MS = { first: 50, most: 1000 };

/**
 * The ledger's file, in SQLite, and what is still to be written to it. Several processes may share it,
 * and write-ahead logging survives a killed one. After an error of any kind (a lock of another process,
 * a full disk, a damaged file) it is left alone until a later try has written all that was counted.
 */
export function openFile({ dataDir, onFileTrouble, onFileRecovered }: LedgerOptions) {
  if (dataDir !== undefined) mkdirSync(dataDir, { recursive: true });
  const path = dataDir === undefined ? ':memory:' : join(dataDir, 'ledger.sqlite');
  const db = new DatabaseSync(path, { timeout: PATIENT_MS });
  const units = prepareUnits(db);
  setPatience(db, BUSY_MS);
  const unwritten = new Map<Account, number>();
  /** Present while the file is left alone. */
  let pause: { timer: NodeJS.Timeout; over: Promise<void> } | undefined;
  let isTold = false;

  function tryAgainIn(ms: number): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => resolve(writeUnwritten(ms)), ms).unref();
    pause = { timer, over: promise };
  }

  /** Undefined where the file cannot be used. */
  function attempt<T>(task: () => T): T | undefined {
    if (pause || !db.isOpen) return undefined;
    try {
      return task();
    } catch {
      tryAgainIn(TRY_AGAIN_MS.first);
      return undefined;
    }
  }

  function writeUnwritten(waitedMs: number): void {
    pause = undefined;
    try {
      units.addAll(unwritten);
      unwritten.clear();
      if (isTold) onFileRecovered();
      isTold = false;
    } catch (error) {
      if (!isTold) onFileTrouble(String(error));
      isTold = true;
      tryAgainIn(Math.min(2 * waitedMs, TRY_AGAIN_MS.most));
    }
  }

  function addLater(account: Account, more: number): void {
    account.used += more;
    // Answers may still come while a process stops: once the file is closed it stays as it is.
    if (db.isOpen) unwritten.set(account, (unwritten.get(account) ?? 0) + more);
  }

  return {
    /** Brings `used` up to date; false where the file cannot be read. */
    read(account: Account): boolean {
      const used = attempt(() => units.read(account));
      if (used !== undefined) account.used = used;
      return used !== undefined;
    },
    add(account: Account, more: number): void {
      if (more === 0) return;
      const used = attempt(() => units.add(account, more));
      if (typeof used === 'number') account.used = used;
      else addLater(account, more);
    },
    /** Adds one unit; false where that would pass the limit, or might. */
    take(account: Account, limit: number | undefined): boolean {
      const used = attempt(() => units.add(account, 1, limit));
      if (typeof used === 'number') account.used = used;
      else if (used === undefined && limit === undefined && db.isOpen) addLater(account, 1);
      else return false;
      return true;
    },
    isUsable: () => pause === undefined,
    ready: () => (isTold ? Promise.resolve() : (pause?.over ?? Promise.resolve())),
    close(): void {
      if (!db.isOpen) return;
      clearTimeout(pause?.timer);
      setPatience(db, PATIENT_MS);
      if (unwritten.size > 0) writeUnwritten(0);
      clearTimeout(pause?.timer);
      db.close();
    },
  };
}
