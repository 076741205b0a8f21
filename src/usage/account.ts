import { type Meter, METERS } from '../meters.ts';
import type { MeterState } from './units.ts';

/**
 * One meter in one month, as the ledger knows it, and what the balances say that the upstream states
 * (spec section 2.4, creditsRemaining). Nothing here reads a clock or writes to disk.
 */
export interface Account {
  readonly month: string;
  readonly meter: Meter;
  /** Units that count as spent, those of requests under way included. */
  used: number;
  /** When `used` was last read from the ledger's file, on the monotonic clock. */
  readAt: number;
  /** Requests under way. */
  underWay: number;
  /** Requests are numbered in the order in which they are sent: the number of the last one. */
  lastSent: number;
  /** The balance that counts; null where none was stated. */
  remaining: number | null;
  /** `lastSent` at the moment that balance came. */
  balanceAt: number;
  /** The most that used + remaining have been; once they are less, somebody else spends. */
  total: number | null;
  /** Requests that timed out, by whether their unit counts as spent. */
  timeouts: { counted: number; free: number };
  isSpentElsewhere: boolean;
  /** Monotonic; -Infinity while the meter is open. */
  closedUntil: number;
  /** `lastSent` at the moment the upstream refused for lack of units. */
  closedAt: number;
}

const OPEN = -Infinity;

export function newAccount(month: string, meter: Meter): Account {
  return {
    month,
    meter,
    used: 0,
    readAt: -Infinity,
    underWay: 0,
    lastSent: 0,
    remaining: null,
    balanceAt: 0,
    total: null,
    timeouts: { counted: 0, free: 0 },
    isSpentElsewhere: false,
    closedUntil: OPEN,
    closedAt: 0,
  };
}

/** Whether the upstream has refused for lack of units, and has paid for nothing since. */
const isClosed = ({ closedUntil }: Account): boolean => closedUntil > OPEN;

/** How many requests can be paid: one where it has to be found out whether the upstream pays again. */
export function affordable(account: Account, limit: number): number {
  const balance = isClosed(account) ? 1 : (account.remaining ?? Infinity);
  return Math.max(0, Math.min(limit - account.used, balance));
}

/** The meter as clients see it. */
export function stateOf({ used, remaining }: Account, limit: number | undefined): MeterState {
  const unspent = limit === undefined ? null : Math.max(0, limit - used);
  return { usedThisMonth: used, limit: limit ?? null, remaining: remaining ?? unspent };
}

type States = Readonly<Record<Meter, MeterState>>;

/** Whether nothing has changed in between; limits never change. */
export function areSame(before: States, after: States): boolean {
  return METERS.every((meter) => {
    const [a, b] = [before[meter], after[meter]];
    return a.usedThisMonth === b.usedThisMonth && a.remaining === b.remaining;
  });
}

/**
 * A request leaves; returns its number. Of a closed meter it is the one that finds out whether the
 * upstream pays again: all others stay refused until `closedUntil` (monotonic).
 */
export function noteSent(account: Account, closedUntil: number): number {
  if (isClosed(account)) account.closedUntil = closedUntil;
  account.underWay += 1;
  account.lastSent += 1;
  return account.lastSent;
}

/**
 * Request `sentAs` has ended and cost `units`. A paid one opens a closed meter again, unless it had
 * left before the meter was closed.
 */
export function noteEnd(account: Account, sentAs: number, units: number): void {
  account.underWay -= 1;
  if (units === 0 || !isClosed(account) || sentAs <= account.closedAt) return;
  account.closedUntil = OPEN;
  account.remaining = null;
}

/** A request has timed out; returns the units that it counts as. */
export function noteTimeout(account: Account, isCounted: boolean): number {
  account.underWay -= 1;
  account.timeouts[isCounted ? 'counted' : 'free'] += 1;
  return isCounted ? 1 : 0;
}

/** The upstream has refused for lack of units: the meter stays closed until then (monotonic). */
export function close(account: Account, until: number): void {
  account.closedUntil = until;
  account.closedAt = account.lastSent;
  account.remaining = 0;
  account.balanceAt = account.lastSent;
}

/**
 * Takes a balance that was stated in the answer to request `sentAs`; returns whether it counts. Answers
 * may arrive in any order. A balance counts if its request left after the last one that counted had
 * come. Else the two requests overlapped, and nobody knows which of them the upstream counted first:
 * the lower balance is the later one.
 */
export function takeBalance(account: Account, sentAs: number, remaining: number): boolean {
  const isNewer = account.remaining === null || sentAs > account.balanceAt;
  if (!isNewer && remaining >= account.remaining!) return false;
  account.remaining = remaining;
  account.balanceAt = account.lastSent;
  return true;
}

/** What a balance shows that the count of units did not know. */
export interface Correction {
  /** To be added to the units that count as spent: requests that timed out and were charged, or were not. */
  units: number;
  /** Units that are neither left nor spent by us; told once. */
  elsewhere: number;
}

const NOTHING: Correction = { units: 0, elsewhere: 0 };

/**
 * Compares the count with the balance. Only while none of our requests is under way: the balance may
 * or may not include one that is.
 */
export function compareWithBalance(account: Account): Correction {
  const { used, remaining, timeouts, underWay, isSpentElsewhere } = account;
  if (isSpentElsewhere || underWay > 0 || remaining === null) return NOTHING;
  const total = used + remaining;
  if (!Number.isSafeInteger(total)) return NOTHING;
  const more = total - (account.total ?? total);
  const units = more < 0 ? Math.min(-more, timeouts.free) : -notCharged(timeouts.counted, more);
  timeouts.counted += units;
  timeouts.free -= units;
  account.total = Math.max(total + units, account.total ?? -Infinity);
  const elsewhere = account.total - (total + units);
  account.isSpentElsewhere = elsewhere > 0;
  return { units, elsewhere };
}

/** `more` is left than was expected. Where that is more than all time-outs, units were bought. */
const notCharged = (counted: number, more: number): number => (more <= counted ? more : 0);
