/**
 * The rules for one meter in one month: what counts as spent, and what the balances stated by the upstream mean (spec
 * section 2.4, creditsRemaining). Nothing here reads a clock or stores anything. The server that replicas share applies
 * the same rules in Lua (valkey/units-script.ts).
 */
export interface Account {
  /** Units that count as spent, including those of requests in flight. */
  used: number;
  /** Number of the last request: requests are numbered in the order in which units are taken for them. */
  lastSent: number;
  /** The balance that counts (see `takeBalance`); null if none is known. */
  remaining: number | null;
  /** `lastSent` when that balance arrived. */
  balanceAt: number;
  /** Highest sum of used + remaining so far; a lower sum later means that somebody else spends. */
  total: number | null;
  /** used + remaining at the last comparison, and `timeouts.counted` at that time (stated-balance.ts). */
  compared?: { total: number; counted: number } | undefined;
  /** Units of requests that may or may not have been charged, such as timeouts, by whether they count as spent. */
  timeouts: { counted: number; free: number };
  /** Until when (store time) the last of those may still be charged. */
  lateUntil: number;
  /** Number of the last request sent by then: the balance in its answer may not include late charges yet. */
  lateAt: number;
  /** `lastSent` when the last request ended that may have been charged, and whose answer stated no balance. */
  unstatedAt: number;
  isSpentElsewhere: boolean;
  /** Since when (store time) less is left than can be explained; null if nothing is missing. */
  shortSince: number | null;
  /**
   * When a closed meter may be probed, in store time (milliseconds since 1970). Closing and probing the meter increase
   * it, and opening the meter makes it negative: a changed value means that one of these has happened.
   */
  closedUntil: number;
  /** `lastSent` when the meter was closed last. */
  closedAt: number;
  /** Units of a limit that nobody may take: granted in advance to processes that have gone silent. */
  setAside?: number;
}

/** A finished request for which units were taken. */
export interface Ended {
  /** Its number. */
  sentAs: number;
  /** Units taken for it: its expected cost. */
  reserved: number;
  /** What it actually cost; if that is less than `reserved`, the difference is given back. */
  units: number;
  /** Whether nobody knows if it was charged (no status in time, or an unreadable answer). It counts as `units`. */
  timedOut?: boolean;
  /** The balance, if the answer states one. */
  remaining?: number | undefined;
  /** Whether the upstream refused for lack of units. */
  exhausted?: boolean;
}

/** How long a meter stays closed before one request finds out whether it is open again. */
export const CLOSED_MS = 60_000;

/** How long a request may still be charged after nobody waits for its answer any more. */
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

/** Whether the upstream refused for lack of units, or stated that none are left, and no answer showed any since. */
export const isClosed = ({ closedUntil }: Account): boolean => closedUntil > 0;

/** Returns how many units a limit leaves. */
export const unspent = ({ used, setAside = 0 }: Account, limit: number): number =>
  limit - used - setAside;

/** Returns how many units can be spent: at most one while the meter is closed, for the request that probes it. */
export function affordable(account: Account, limit: number): number {
  const balance = isClosed(account) ? 1 : (account.remaining ?? Infinity);
  return Math.max(0, Math.min(unspent(account, limit), balance));
}

/** Returns the same once a request has been charged, which opens a closed meter. */
export const affordableOnceCharged = (account: Account, limit: number): number =>
  isClosed(account) ? Math.max(0, unspent(account, limit)) : affordable(account, limit);

/** What to take from an account. */
interface Taking {
  /** Number of requests to pay for. */
  requests: number;
  /** Expected cost of each, in units. */
  cost: number;
  /** Maximum that may be used in total; undefined: no limit. */
  limit?: number | undefined;
  /** To probe a closed meter: its `closedUntil`, once that is past. Only the first change that states it may probe. */
  look?: number | undefined;
}

/**
 * Whether a request may find out if a closed meter is open again. The closing must be over by the store's clock, too,
 * since the caller's clock may be ahead. If it is far from over, the store's clock was set back, which must not keep
 * anybody from probing.
 */
function mayProbe({ closedUntil }: Account, look: number | undefined, now: number): boolean {
  const waitMs = closedUntil - now;
  return look === closedUntil && (waitMs <= 0 || waitMs > 2 * CLOSED_MS);
}

/** Whether timed-out requests may still be charged. If `lateUntil` is too far off, the clock was set back, as above. */
function mayStillBeCharged({ lateUntil }: Account, now: number): boolean {
  const waitMs = lateUntil - now;
  return waitMs > 0 && waitMs <= MAY_BE_CHARGED_MS;
}

/** Takes the units of up to `requests` requests; returns for how many it did. `now` is store time. */
export function take(
  account: Account,
  { requests, cost, limit = Infinity, look }: Taking,
  now: number,
): number {
  if (isClosed(account) && !mayProbe(account, look, now)) return 0;
  const maxTaken = isClosed(account) ? 1 : requests;
  const room = Math.floor((limit - account.used) / cost);
  const taken = Math.max(0, Math.min(maxTaken, requests, room));
  if (isClosed(account) && taken > 0) account.closedUntil = laterClosed(account, now);
  account.used += taken * cost;
  account.lastSent += taken;
  if (mayStillBeCharged(account, now)) account.lateAt = account.lastSent;
  return taken;
}

/** Counts what a request actually cost, and takes over what its answer says of the meter. */
export function noteEnd(account: Account, ended: Ended, now: number): void {
  const { sentAs, reserved, units, timedOut, remaining, exhausted } = ended;
  account.used += units - reserved;
  if (remaining === undefined && (timedOut || units > 0)) account.unstatedAt = account.lastSent;
  if (timedOut) noteTimeout(account, ended, now);
  else if (showsUnits(ended) && sentAs > account.closedAt) open(account);
  const isEmpty =
    remaining !== undefined && takeBalance(account, sentAs, remaining) && remaining <= 0;
  if (isEmpty || exhausted) close(account, now);
}

function noteTimeout(account: Account, { units, reserved }: Ended, now: number): void {
  account.timeouts[units > 0 ? 'counted' : 'free'] += units || reserved;
  account.lateUntil = now + MAY_BE_CHARGED_MS;
  account.lateAt = account.lastSent;
}

/** Whether an answer shows that there are units to spend: it was charged, or states a balance, as a 404 may. */
const showsUnits = ({ units, remaining = 0, exhausted }: Ended): boolean =>
  !exhausted && (units > 0 || remaining > 0);

/** Opens the meter if it is closed. Its balance is not known until an answer states it. */
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

/** Returns a `closedUntil` that differs from the last one: the change shows that the meter was closed or probed. */
const laterClosed = ({ closedUntil }: Account, now: number): number =>
  Math.max(now + CLOSED_MS, Math.abs(closedUntil) + 1);

/**
 * Takes the balance stated in the answer to request `sentAs`; returns whether it counts. Answers may arrive in any
 * order. A balance counts if its request left after the last balance that counted had arrived. Otherwise the two
 * requests overlapped, and nobody knows which of them the upstream counted first: then the lower balance is taken for
 * the later one.
 */
function takeBalance(account: Account, sentAs: number, remaining: number): boolean {
  const isNewer = account.remaining === null || sentAs > account.balanceAt;
  if (!isNewer && remaining >= account.remaining!) return false;
  account.remaining = remaining;
  account.balanceAt = account.lastSent;
  return true;
}
