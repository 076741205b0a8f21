import type { Priority } from './priority.ts';

/**
 * The aging of cached data that are paid from one meter: by a clock that runs slower while its allowance has to be
 * saved (docs/spending.md). All times at which answers came or expire are on this clock.
 */
export interface Aging {
  /**
   * Returns the time of the aging clock in ms, which runs `stretch` times slower than the monotonic one and starts at
   * the same value. On the hot path: called for every look-up in a cache.
   */
  now(): number;
  /** Returns when something came that is `ageMs` old now, at the current stretch. */
  since(ageMs: number): number;
  /** Converts an instant of the aging clock to the monotonic one, at the current stretch. */
  monotonicAt(instant: number): number;
  /** Returns the factor by which data live longer for clients of normal priority: 1 if there is no need. */
  stretch(): number;
  /** Returns the factor by which lifetimes of a class differ from those of normal priority. */
  patience(priority: Priority): number;
  /** Whether a request may be sent although stale data could be served instead. */
  mayRefresh(): boolean;
  /** Notes that a paid request has been answered. */
  noteRequest(request: PaidRequest): void;
}

/** A paid request that has been answered: what the governor learns of it (docs/spending.md). */
export interface PaidRequest {
  key: string;
  /** The configured time to live. */
  lifetimeMs: number;
  /**
   * Milliseconds between expiry and the question, at the current stretch; an approximation if the stretch has changed
   * since. Undefined if never asked before.
   */
  waitedMs: number | undefined;
  units: number;
  /** The priority of the client that started the request. */
  priority: Priority;
}

/** When something came, and when it expires for clients of normal priority. */
export interface Lifetime {
  readonly at: number;
  readonly expiresAt: number;
  /** Of something that has several parts: the lifetimes of those that may expire before it for other clients. */
  readonly others?: readonly Lifetime[] | undefined;
}

/** What a request refreshes. */
export type Refreshed = Pick<PaidRequest, 'lifetimeMs' | 'waitedMs'>;

/** Returns when a value, or the first of its parts, expires for clients of a priority. */
export function expiryFor(
  { at, expiresAt, others }: Lifetime,
  priority: Priority,
  aging: Pick<Aging, 'patience'>,
): number {
  if (priority === 'NORMAL') return expiresAt;
  const own = at + (expiresAt - at) * aging.patience(priority);
  if (!others) return own;
  return others.reduce((first, one) => Math.min(first, expiryFor(one, priority, aging)), own);
}

/** Returns the one that expires first; there must be at least one. */
export const firstToExpire = <L extends Lifetime>(all: readonly L[]): L =>
  all.reduce((a, b) => (b.expiresAt < a.expiresAt ? b : a));

/**
 * Returns the lifetime of something made of these parts: that of the part that expires first for clients of normal
 * priority. For other clients, a part that came later and lives shorter may expire before it, or the other way round.
 */
export function lifetimeOf(parts: readonly Lifetime[]): Lifetime {
  const { at, expiresAt, others } = firstToExpire(parts);
  if (parts.length === 1) return { at, expiresAt, others };
  const all = parts.flatMap((part) => (part.others ? [part, ...part.others] : [part]));
  const mayBeFirst = all.filter((one) => one.at < at || one.expiresAt - one.at < expiresAt - at);
  // Copied, since the parts themselves would keep their records in memory.
  const copies = mayBeFirst.map((one) => ({ at: one.at, expiresAt: one.expiresAt }));
  return { at, expiresAt, others: copies.length > 0 ? copies : undefined };
}

/** For what was never asked for before, or has an unknown age: there is no earlier lifetime to learn from. */
const NOTHING_LEARNED: Refreshed = { lifetimeMs: 0, waitedMs: undefined };

/** Returns what a question of this priority refreshes, and how long that had been expired. */
export function refreshed(
  old: Lifetime | undefined,
  priority: Priority,
  aging: Pick<Aging, 'now' | 'patience' | 'monotonicAt'>,
): Refreshed {
  if (!old || !Number.isFinite(old.at)) return NOTHING_LEARNED;
  const expired = expiryFor(old, priority, aging);
  const waitedMs = aging.monotonicAt(aging.now()) - aging.monotonicAt(expired);
  return { lifetimeMs: old.expiresAt - old.at, waitedMs: Math.max(0, waitedMs) };
}

/**
 * A stretch has decreased if it is below this share of the last one. After a smaller decrease, kept answers expire a
 * little late.
 */
const DECREASE_SHARE = 0.99;

/** Counts how often a stretch has decreased, so that data age faster than was expected. */
export function countStretchDecreases(stretches: readonly (() => number)[]): () => number {
  const last = stretches.map(() => 1);
  let count = 0;
  return () => {
    for (let i = 0; i < stretches.length; i += 1) {
      const stretch = stretches[i]!();
      if (stretch < last[i]! * DECREASE_SHARE) count += 1;
      if (stretch > last[i]! || stretch < last[i]! * DECREASE_SHARE) last[i] = stretch;
    }
    return count;
  };
}
