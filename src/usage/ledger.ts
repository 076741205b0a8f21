import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Meter, perMeter } from '../meters.ts';
import { monthAt } from '../time.ts';
import {
  type Account,
  areSame,
  affordable,
  close,
  compareWithBalance,
  newAccount,
  noteEnd,
  noteSent,
  noteTimeout,
  stateOf,
  takeBalance,
} from './account.ts';
import { prepareUnits, setPatience } from './ledger-sql.ts';
import type { Ledger, LedgerOptions, MeterState, Reservation } from './units.ts';

/** How long a meter stays closed before one request finds out whether it is open again. */
const CLOSED_MS = 60_000;
/** Other processes write to the file, too: what was read of it is shown for so long. */
const READ_AGAIN_MS = 50;

/** Opens the ledger. Throws where its file cannot be opened. */
export function openLedger(options: LedgerOptions): Ledger {
  const { limits, timeoutsCount, timezone, now, monotonic, onSpentElsewhere } = options;
  const file = openFile(options);
  const accounts = new Map<Meter, Account>();
  let shown: Record<Meter, MeterState> | undefined;

  /** A new month starts a new account: its units are its own, and an exhausted meter is open again. */
  function account(meter: Meter, month = monthAt(now(), timezone), at = monotonic()): Account {
    let found = accounts.get(meter);
    if (found?.month !== month) {
      found = newAccount(month, meter);
      accounts.set(meter, found);
    }
    if (at - found.readAt >= READ_AGAIN_MS) read(found);
    return found;
  }

  function read(current: Account): void {
    if (file.read(current)) current.readAt = monotonic();
  }

  /** Another process may have given units back: nothing is refused before the file says so. */
  function left(meter: Meter): number {
    const current = account(meter);
    const limit = limits[meter] ?? Infinity;
    if (monotonic() < current.closedUntil) return 0;
    if (current.used >= limit) read(current);
    return affordable(current, limit);
  }

  function settleTimeout(current: Account): number {
    const units = noteTimeout(current, timeoutsCount ?? limits[current.meter] !== undefined);
    file.add(current, units - 1);
    return units;
  }

  const noteExhausted = (current: Account) => close(current, monotonic() + CLOSED_MS);

  function noteRemaining(current: Account, sentAs: number, remaining: number): void {
    if (takeBalance(current, sentAs, remaining) && remaining <= 0) noteExhausted(current);
    // Processes that share the file are not somebody else.
    read(current);
    const { units, elsewhere } = compareWithBalance(current);
    file.add(current, units);
    if (elsewhere > 0) onSpentElsewhere(current.meter, elsewhere);
  }

  function reservation(current: Account): Reservation {
    const sentAs = noteSent(current, monotonic() + CLOSED_MS);
    return {
      settle(units) {
        noteEnd(current, sentAs, units);
        file.add(current, units - 1);
      },
      settleTimeout: () => settleTimeout(current),
      noteRemaining: (remaining) => noteRemaining(current, sentAs, remaining),
      noteExhausted: () => noteExhausted(current),
    };
  }

  return {
    left,
    isOpen: (meter) => left(meter) > 0,
    isCertain: (meter) => limits[meter] === undefined || file.isUsable(),
    ready: file.ready,
    reserve(meter) {
      const current = account(meter);
      if (monotonic() < current.closedUntil) return undefined;
      if (file.take(current, limits[meter])) return reservation(current);
      read(current);
      return undefined;
    },
    states() {
      const [month, at] = [monthAt(now(), timezone), monotonic()];
      const states = perMeter((meter) => stateOf(account(meter, month, at), limits[meter]));
      return (shown = shown && areSame(shown, states) ? shown : states);
    },
    close: file.close,
  };
}

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
function openFile({ dataDir, onFileTrouble, onFileRecovered }: LedgerOptions) {
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
