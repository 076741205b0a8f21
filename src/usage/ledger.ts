import { type Clock, monthAt } from '../time.ts';
import { METERS, type Meter } from './operation.ts';
import { openTable } from './table.ts';

/** One meter as clients see it; `remaining` is null where nobody knows. */
export interface MeterState {
  usedThisMonth: number;
  limit: number | null;
  remaining: number | null;
}

/** A unit put aside before its request is sent. What its answer tells is about the same month. */
export interface Reservation {
  /** Books what the request really cost: 0 gives the unit back. */
  settle(units: number): void;
  /** The upstream refused for lack of units: nothing is sent for a minute, or until a new month. */
  noteExhausted(): void;
  /** What the upstream says is left: the truth about it. */
  noteRemaining(remaining: number): void;
}

/**
 * Units spent per meter and calendar month, kept on disk (spec section 8).
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
  /** Called once, when the upstream's balance shows that somebody else spends from it. */
  onDrift: (meter: Meter, units: number) => void;
}

const LOOK_AGAIN_MS = 60_000;
/** How old may be what is shown of a file that other processes write to, too. */
const READ_AGAIN_MS = 1000;

interface Account {
  month: string;
  /** As the file said at `readAt`. */
  used: number;
  readAt: number;
  reserved: number;
  /** The balance stated last, and used + remaining when it was first stated. */
  remaining: number | null;
  total: number | null;
  drifted: boolean;
  closedUntil: number;
}

export function openLedger(options: LedgerOptions): Ledger {
  const { limits, timezone, now, onDrift } = options;
  const table = openTable(options.dataDir);
  const accounts = new Map<Meter, Account>();

  /** A new month starts a new account: its units are its own, and an exhausted meter is open again. */
  function account(meter: Meter): Account {
    const at = now();
    const month = monthAt(at, timezone);
    let found = accounts.get(meter);
    if (found?.month !== month) {
      found = newAccount(month);
      accounts.set(meter, found);
    }
    if (Math.abs(at - found.readAt) >= READ_AGAIN_MS) read(found, meter);
    return found;
  }

  function read(current: Account, meter: Meter): void {
    current.used = table.read(current.month, meter) ?? current.used;
    current.readAt = now();
  }

  /** Another process may have given units back: nothing is refused before the file says so. */
  function left(meter: Meter): number {
    const current = account(meter);
    const limit = limits[meter] ?? Infinity;
    if (now() < current.closedUntil) return 0;
    if (current.used >= limit) read(current, meter);
    return Math.max(0, Math.min(limit - current.used, balanceOf(current)));
  }

  function settle(current: Account, meter: Meter, units: number): void {
    current.reserved -= 1;
    if (units !== 1) current.used = table.add(current.month, meter, units - 1) ?? current.used;
    if (units > 0 && current.closedUntil > 0) {
      current.closedUntil = 0;
      current.remaining = null;
    }
  }

  function noteExhausted(current: Account): void {
    current.closedUntil = now() + LOOK_AGAIN_MS;
    current.remaining = 0;
  }

  function noteRemaining(current: Account, meter: Meter, remaining: number): void {
    current.remaining = remaining;
    if (remaining <= 0) noteExhausted(current);
    // What other processes have spent meanwhile is no drift.
    read(current, meter);
    const drift = driftOf(current);
    if (drift) onDrift(meter, drift);
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
      if (now() < current.closedUntil) return undefined;
      const used = table.add(current.month, meter, 1, limits[meter]);
      if (used === undefined) {
        read(current, meter);
        return undefined;
      }
      current.used = used;
      current.reserved += 1;
      // While a closed meter is looked at again, one request does so and the others go on waiting.
      if (current.closedUntil > 0) current.closedUntil = now() + LOOK_AGAIN_MS;
      return reservation(current, meter);
    },
    state(meter) {
      const { used, remaining } = account(meter);
      const limit = limits[meter] ?? null;
      const unspent = limit === null ? null : Math.max(0, limit - used);
      return { usedThisMonth: used, limit, remaining: remaining ?? unspent };
    },
    close: () => table.close(),
  };
}

function newAccount(month: string): Account {
  const empty = { reserved: 0, remaining: null, total: null, drifted: false, closedUntil: 0 };
  return { month, used: 0, readAt: -Infinity, ...empty };
}

/** What the upstream would pay for. One request looks whether a meter that was closed is open again. */
function balanceOf({ closedUntil, remaining }: Account): number {
  return closedUntil > 0 ? 1 : (remaining ?? Infinity);
}

/** Units that went missing; told once, and only looked at while nothing of ours is under way. */
function driftOf(account: Account): number {
  if (account.drifted || account.reserved > 0 || account.remaining === null) return 0;
  const total = account.used + account.remaining;
  const missing = (account.total ?? total) - total;
  account.total = Math.max(total, account.total ?? total);
  account.drifted = missing > 0;
  return Math.max(0, missing);
}

export function meterStates(ledger: Ledger): Record<Meter, MeterState> {
  const [fx, macro, credits] = METERS.map((meter) => ledger.state(meter));
  return { fx: fx!, macro: macro!, credits: credits! };
}
