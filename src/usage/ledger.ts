import type { Meter } from '../meters.ts';
import { type Clock, monthAt } from '../time.ts';
import { openLedgerFile } from './ledger-file.ts';

/** One meter as clients see it; `remaining` is null where nobody knows. */
export interface MeterState {
  usedThisMonth: number;
  limit: number | null;
  remaining: number | null;
}

/** A unit set aside before its request is sent. Whatever the answer says is booked to the same month. */
export interface Reservation {
  /** Books what the request really cost: 0 gives the unit back. */
  settle(units: number): void;
  /** The upstream refused for lack of units: nothing is sent for a minute, or until a new month. */
  noteExhausted(): void;
  /** What the upstream says is left: the truth about it. */
  noteRemaining(remaining: number): void;
}

/**
 * Units spent per meter and calendar month, kept on disk (spec section 8). The wall clock names the
 * month; how long a meter stays closed is measured by the monotonic one.
 *
 * A unit counts as spent from the moment it is reserved and is given back only when its request ends
 * without a paid answer (a time-out counts as none), so a crash in between can never hide a unit.
 */
export interface Ledger {
  /** Undefined where the allowance is used up: nothing may be sent then. */
  reserve(meter: Meter): Reservation | undefined;
  /** How many requests could be paid for right now; Infinity where nobody knows. */
  left(meter: Meter): number;
  /** Whether one could be. */
  isOpen(meter: Meter): boolean;
  state(meter: Meter): MeterState;
  close(): void;
}

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
  function account(meter: Meter): Account {
    const month = monthAt(now(), timezone);
    let found = accounts.get(meter);
    if (found?.month !== month) {
      found = newAccount(month);
      accounts.set(meter, found);
    }
    if (monotonic() - found.readAt >= READ_AGAIN_MS) read(found, meter);
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
    state(meter) {
      const { used, remaining } = account(meter);
      const limit = limits[meter] ?? null;
      const unspent = limit === null ? null : Math.max(0, limit - used);
      return { usedThisMonth: used, limit, remaining: remaining ?? unspent };
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
