/**
 * The rules of one meter in one month: what counts as spent, and what the balances say that the upstream
 * states (spec section 2.4, creditsRemaining). Nothing here reads a clock or stores anything. The server
 * that replicas share does the same in Lua (valkey/units-script.ts).
 */
export interface Account {
  /** Units that count as spent, those of requests under way included. */
  used: number;
  /** Requests are numbered in the order in which they are sent: the number of the last one. */
  lastSent: number;
  /** The balance that counts; null where none was stated. */
  remaining: number | null;
  /** `lastSent` at the moment that balance came. */
  balanceAt: number;
  /** The most that used + remaining have been; once they are less, somebody else spends. */
  total: number | null;
  /** What used + remaining were when they were compared last, and `timeouts.counted` then (stated-balance.ts). */
  compared?: { total: number; counted: number } | undefined;
  /** Units of requests of which nobody knows whether they were charged, such as time-outs, by whether they count as spent. */
  timeouts: { counted: number; free: number };
  /** Until then (the store's time) the last of those may still be charged. */
  lateUntil: number;
  /** The number of the last request that was sent by then: its balance may lack what is charged late. */
  lateAt: number;
  /** `lastSent` when a request ended last that may have been charged, and whose answer stated no balance. */
  unstatedAt: number;
  isSpentElsewhere: boolean;
  /** Since when less is left than can be explained, in the store's time; null: as much as there should be. */
  shortSince: number | null;
  /**
   * When a closed meter is looked at again, in the store's time (milliseconds since 1970). Each closing makes it
   * larger, and opening the meter makes it negative: a changed value says that the meter was closed or opened.
   */
  closedUntil: number;
  /** `lastSent` at the moment the upstream refused for lack of units. */
  closedAt: number;
  /** Units below a limit that nobody gets: they were granted in advance to processes that are silent now. */
  setAside?: number;
}

/** A request that has ended, for which units were taken. */
export interface Ended {
  /** Its number. */
  sentAs: number;
  /** The units that were taken for it: what it was expected to cost. */
  reserved: number;
  /** What it really cost: less gives units back. */
  units: number;
  /** No status came in time, or what came cannot be read: nobody knows whether it was charged, and it counts as `units`. */
  timedOut?: boolean;
  /** The balance, where the answer states it. */
  remaining?: number | undefined;
  /** The upstream has refused for lack of units. */
  exhausted?: boolean;
}

/** How long a meter stays closed before one request finds out whether it is open again. */
export const CLOSED_MS = 60_000;

/** For so long after nobody waits for its answer any more a request may still be charged. */
export const MAY_BE_CHARGED_MS = 5000;

export function newAccount(): Account {
  return {
    used: 0,
    lastSent: 0,
    remaining: null,
    balanceAt: 0,
    total: null,
    timeouts: { counted: 0, free: 0 },
    lateUntil: 0,
    lateAt: 0,
    unstatedAt: 0,
    isSpentElsewhere: false,
    shortSince: null,
    closedUntil: 0,
    closedAt: 0,
  };
}

/** Whether the upstream has refused for lack of units, and has paid for nothing since. */
const isClosed = ({ closedUntil }: Account): boolean => closedUntil > 0;

/** How much a limit leaves. */
export const unspent = ({ used, setAside = 0 }: Account, limit: number): number =>
  limit - used - setAside;

/** How many requests can be paid: one where it has to be found out whether the upstream pays again. */
export function affordable(account: Account, limit: number): number {
  const balance = isClosed(account) ? 1 : (account.remaining ?? Infinity);
  return Math.max(0, Math.min(unspent(account, limit), balance));
}

/** What is taken from an account. */
interface Taking {
  /** How many requests are to be paid. */
  requests: number;
  /** What each of them is expected to cost, in units. */
  cost: number;
  /** The most that may be used; undefined: as many as that takes. */
  limit?: number | undefined;
  /** Of a closed meter: the `closedUntil` that is over. Only the first who says so may look. */
  look?: number | undefined;
}

/**
 * Whether a request may find out if a closed meter is open again: its closing must be over by the store's clock, too,
 * since the clock of whoever asks may be ahead. Where it is far from over, the store's clock was set back, which must
 * keep nobody from looking.
 */
function mayLook({ closedUntil }: Account, look: number | undefined, now: number): boolean {
  const waitMs = closedUntil - now;
  return look === closedUntil && (waitMs <= 0 || waitMs > 2 * CLOSED_MS);
}

/** Whether what timed out may still be charged. Where that is far from over the clock went back, as above. */
function isLate({ lateUntil }: Account, now: number): boolean {
  const waitMs = lateUntil - now;
  return waitMs > 0 && waitMs <= MAY_BE_CHARGED_MS;
}

/** Takes the units of up to so many requests; returns of how many. `now` is the store's time. */
export function take(
  account: Account,
  { requests, cost, limit = Infinity, look }: Taking,
  now: number,
): number {
  if (isClosed(account) && !mayLook(account, look, now)) return 0;
  const most = isClosed(account) ? 1 : requests;
  const room = Math.floor((limit - account.used) / cost);
  const taken = Math.max(0, Math.min(most, requests, room));
  if (isClosed(account) && taken > 0) account.closedUntil = laterClosed(account, now);
  account.used += taken * cost;
  account.lastSent += taken;
  if (isLate(account, now)) account.lateAt = account.lastSent;
  return taken;
}

/** Counts what a request really cost, and what its answer says of the meter. */
export function noteEnd(account: Account, ended: Ended, now: number): void {
  const { sentAs, reserved, units, timedOut, remaining, exhausted } = ended;
  account.used += units - reserved;
  if (remaining === undefined && (timedOut || units > 0)) account.unstatedAt = account.lastSent;
  if (timedOut) noteTimeout(account, ended, now);
  else if (units > 0 && sentAs > account.closedAt) open(account);
  const isEmpty =
    remaining !== undefined && takeBalance(account, sentAs, remaining) && remaining <= 0;
  if (isEmpty || exhausted) close(account, now);
}

function noteTimeout(account: Account, { units, reserved }: Ended, now: number): void {
  account.timeouts[units > 0 ? 'counted' : 'free'] += units || reserved;
  account.lateUntil = now + MAY_BE_CHARGED_MS;
  account.lateAt = account.lastSent;
}

/** A paid request opens a closed meter again, unless it had left before the meter was closed. */
function open(account: Account): void {
  if (!isClosed(account)) return;
  account.closedUntil = -account.closedUntil;
  account.remaining = null;
}

function close(account: Account, now: number): void {
  account.closedUntil = laterClosed(account, now);
  account.closedAt = account.lastSent;
  account.remaining = 0;
  account.balanceAt = account.lastSent;
}

/** Differs from the last one, by which it is told that something has happened. */
const laterClosed = ({ closedUntil }: Account, now: number): number =>
  Math.max(now + CLOSED_MS, Math.abs(closedUntil) + 1);

/**
 * Takes a balance that was stated in the answer to request `sentAs`; returns whether it counts. Answers
 * may arrive in any order. A balance counts if its request left after the last one that counted had
 * come. Else the two requests overlapped, and nobody knows which of them the upstream counted first:
 * the lower balance is the later one.
 */
function takeBalance(account: Account, sentAs: number, remaining: number): boolean {
  const isNewer = account.remaining === null || sentAs > account.balanceAt;
  if (!isNewer && remaining >= account.remaining!) return false;
  account.remaining = remaining;
  account.balanceAt = account.lastSent;
  return true;
}
