import { type Meter, METERS, perMeter } from '../meters.ts';
import { monthAt } from '../time.ts';
import {
  type Account,
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
import { openFile } from './ledger-file.ts';
import type { Ledger, LedgerOptions, MeterState, Reservation } from './units.ts';

/** How long a meter stays closed before one request finds out whether it is open again. */
const CLOSED_MS = 60_000;
/** Other processes write to the file, too: what was read of it is shown for so long. */
const READ_AGAIN_MS = 1000;

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

  function settle(current: Account, sentAs: number, units: number): void {
    noteEnd(current, sentAs, units);
    file.add(current, units - 1);
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
      settle: (units) => settle(current, sentAs, units),
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
      if (!shown || !areSame(shown, states)) shown = states;
      return shown;
    },
    close: file.close,
  };
}

function areSame(some: Record<Meter, MeterState>, others: Record<Meter, MeterState>): boolean {
  return METERS.every((meter) => {
    const [a, b] = [some[meter], others[meter]];
    return a.usedThisMonth === b.usedThisMonth && a.remaining === b.remaining;
  });
}
