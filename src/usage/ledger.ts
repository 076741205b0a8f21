import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Meter, perMeter } from '../meters.ts';
import { type Clock, monthAt } from '../time.ts';
import type { Ledger, Reservation } from './units.ts';

export interface LedgerOptions {
  /** The folder of the ledger's file; undefined keeps it in memory. */
  dataDir: string | undefined;
  limits: Record<Meter, number | undefined>;
  timezone: string;
  now: Clock;
  monotonic: Clock;
  /** Called once, when the upstream's balance shows that somebody else spends from it. */
  onSpentElsewhere: (meter: Meter, units: number) => void;
}

/** How long a meter stays closed before one request finds out whether it is open again. */
const CLOSED_MS = 60_000;
/** Other processes write to the file, too: what was read of it is shown for so long. */
const READ_AGAIN_MS = 1000;

interface Account {
  month: string;
  /** As the file said at `readAt` (monotonic). */
  used: number;
  readAt: number;
  /** Units whose requests are under way. */
  reserved: number;
  /** The balance stated last. */
  remaining: number | null;
  /** The most that used + remaining have been; once they are less, somebody else spends. */
  total: number | null;
  isSpentElsewhere: boolean;
  /** Monotonic; -Infinity while the meter is open. */
  closedUntil: number;
}

const OPEN = -Infinity;

/** Whether the upstream has refused for lack of units, and has paid for nothing since. */
const isClosed = ({ closedUntil }: Account) => closedUntil > OPEN;

export function openLedger(options: LedgerOptions): Ledger {
  const { limits, timezone, now, monotonic, onSpentElsewhere } = options;
  const file = openLedgerFile(options.dataDir);
  const accounts = new Map<Meter, Account>();

  /** A new month starts a new account: its units are its own, and an exhausted meter is open again. */
  function account(meter: Meter, month = monthAt(now(), timezone), at = monotonic()): Account {
    let found = accounts.get(meter);
    if (found?.month !== month) {
      found = newAccount(month);
      accounts.set(meter, found);
    }
    if (at - found.readAt >= READ_AGAIN_MS) read(found, meter);
    return found;
  }

  function read(current: Account, meter: Meter): void {
    current.used = file.read(current.month, meter) ?? current.used;
    current.readAt = monotonic();
  }

  /** Another process may have given units back: nothing is refused before the file says so. */
  function left(meter: Meter): number {
    const current = account(meter);
    const limit = limits[meter] ?? Infinity;
    if (monotonic() < current.closedUntil) return 0;
    if (current.used >= limit) read(current, meter);
    return Math.max(0, Math.min(limit - current.used, balanceOf(current)));
  }

  function settle(current: Account, meter: Meter, units: number): void {
    current.reserved -= 1;
    if (units !== 1) current.used = file.add(current.month, meter, units - 1) ?? current.used;
    if (units > 0 && isClosed(current)) {
      current.closedUntil = OPEN;
      current.remaining = null;
    }
  }

  function noteExhausted(current: Account): void {
    current.closedUntil = monotonic() + CLOSED_MS;
    current.remaining = 0;
  }

  function noteRemaining(current: Account, meter: Meter, remaining: number): void {
    current.remaining = remaining;
    if (remaining <= 0) noteExhausted(current);
    // Processes that share the file are not somebody else.
    read(current, meter);
    const missing = missingFrom(current);
    if (missing > 0) onSpentElsewhere(meter, missing);
  }

  function reservation(current: Account, meter: Meter): Reservation {
    return {
      settle: (units) => settle(current, meter, units),
      noteRemaining: (remaining) => noteRemaining(current, meter, remaining),
      noteExhausted: () => noteExhausted(current),
    };
  }

  return {
    left,
    isOpen: (meter) => left(meter) > 0,
    reserve(meter) {
      const current = account(meter);
      if (monotonic() < current.closedUntil) return undefined;
      const used = file.add(current.month, meter, 1, limits[meter]);
      if (used === undefined) {
        read(current, meter);
        return undefined;
      }
      current.used = used;
      current.reserved += 1;
      // One request finds out whether a closed meter is open again; all others stay refused.
      if (isClosed(current)) current.closedUntil = monotonic() + CLOSED_MS;
      return reservation(current, meter);
    },
    states() {
      const month = monthAt(now(), timezone);
      const at = monotonic();
      return perMeter((meter) => {
        const { used, remaining } = account(meter, month, at);
        const limit = limits[meter] ?? null;
        const unspent = limit === null ? null : Math.max(0, limit - used);
        return { usedThisMonth: used, limit, remaining: remaining ?? unspent };
      });
    },
    close: () => file.close(),
  };
}

function newAccount(month: string): Account {
  const unread = { month, used: 0, readAt: -Infinity, reserved: 0, closedUntil: OPEN };
  return { ...unread, remaining: null, total: null, isSpentElsewhere: false };
}

/** What the upstream would pay for: one request where it has to be found out whether it pays again. */
function balanceOf(account: Account): number {
  return isClosed(account) ? 1 : (account.remaining ?? Infinity);
}

/**
 * Units that are neither left nor spent by us. Reported once, and only looked for while none of our
 * requests is under way: the balance may or may not count such a one.
 */
function missingFrom(account: Account): number {
  if (account.isSpentElsewhere || account.reserved > 0 || account.remaining === null) return 0;
  const total = account.used + account.remaining;
  const missing = (account.total ?? total) - total;
  account.total = Math.max(total, account.total ?? total);
  account.isSpentElsewhere = missing > 0;
  return Math.max(0, missing);
}

/**
 * The ledger's file, in SQLite: one row for each month and meter. Several processes may share it, and
 * write-ahead logging survives a killed one. Without a folder it is kept in memory.
 */
function openLedgerFile(dataDir: string | undefined) {
  if (dataDir !== undefined) mkdirSync(dataDir, { recursive: true });
  const file = dataDir === undefined ? ':memory:' : join(dataDir, 'ledger.sqlite');
  const db = new DatabaseSync(file, { timeout: 2000 });
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec(
    `CREATE TABLE IF NOT EXISTS units (
      month TEXT NOT NULL, meter TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (month, meter)
    ) WITHOUT ROWID`,
  );
  const read = db.prepare('SELECT used FROM units WHERE month = ? AND meter = ?');
  const add = db.prepare(
    `INSERT INTO units SELECT ?1, ?2, ?3 WHERE ?3 <= ?4
      ON CONFLICT DO UPDATE SET used = used + ?3 WHERE used + ?3 <= ?4 RETURNING used`,
  );
  // Answers may still be written while a process stops: once the file is closed it stays as it is.
  return {
    read(month: string, meter: Meter): number | undefined {
      return db.isOpen ? Number(read.get(month, meter)?.['used'] ?? 0) : undefined;
    },
    /** Adds in one statement, so that processes sharing the file cannot pass the limit together. */
    add(month: string, meter: Meter, units: number, limit?: number): number | undefined {
      if (!db.isOpen) return undefined;
      const row = add.get(month, meter, units, limit ?? Number.MAX_SAFE_INTEGER);
      return row === undefined ? undefined : Number(row['used']);
    },
    close: () => db.close(),
  };
}
