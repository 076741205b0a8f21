import type { Clock } from '../time.ts';
import type { Governor, PaidRequest } from './governor.ts';
import type { Priority } from './priority.ts';

/**
 * How what is cached of a meter ages: on a clock that runs slower while its allowance has to be spared
 * (docs/spending.md). Whatever says when an answer came or expires says it on this clock.
 */
export interface Aging extends Pick<
  Governor,
  'mayRefresh' | 'patience' | 'monotonicAt' | 'noteRequest'
> {
  /** Milliseconds. */
  now: Clock;
  /** When something came that is so old by now. */
  since(ageMs: number): number;
}

/** When something came, and when it expires for clients of normal priority. */
export interface Lifetime {
  readonly at: number;
  readonly expiresAt: number;
}

/** What a request refreshes. */
export type Refreshed = Pick<PaidRequest, 'lifetimeMs' | 'waitedMs'>;

/** When it expires for clients of a priority. */
export function expiryFor(
  { at, expiresAt }: Lifetime,
  priority: Priority,
  { patience }: Pick<Aging, 'patience'>,
): number {
  return priority === 'NORMAL' ? expiresAt : at + (expiresAt - at) * patience(priority);
}

/** Of several, of which there is one at least. */
export const firstToExpire = <L extends Lifetime>(all: readonly L[]): L =>
  all.reduce((a, b) => (b.expiresAt < a.expiresAt ? b : a));

/** What a question of this priority refreshes. */
export function refreshed(
  old: Lifetime,
  priority: Priority,
  aging: Pick<Aging, 'now' | 'patience' | 'monotonicAt'>,
): Refreshed {
  const expired = expiryFor(old, priority, aging);
  const waitedMs = aging.monotonicAt(aging.now()) - aging.monotonicAt(expired);
  return { lifetimeMs: old.expiresAt - old.at, waitedMs: Math.max(0, waitedMs) };
}

export function createAging(governor: Governor): Aging {
  const { agingTime, stretch, patience, mayRefresh, monotonicAt, noteRequest } = governor;
  return {
    now: agingTime,
    patience,
    mayRefresh,
    monotonicAt,
    noteRequest,
    since: (ageMs) => agingTime() - ageMs / stretch(),
  };
}

/** Smaller decreases do not count: kept answers then expire a little later than they should. */
const NOTICED = 0.99;

/** Counts how often a stretch has become smaller, so that things age faster than was expected. */
export function countStretchDecreases(stretches: readonly (() => number)[]): () => number {
  const last = stretches.map(() => 1);
  let count = 0;
  return () => {
    for (let i = 0; i < stretches.length; i += 1) {
      const stretch = stretches[i]!();
      if (stretch < last[i]! * NOTICED) count += 1;
      if (stretch > last[i]! || stretch < last[i]! * NOTICED) last[i] = stretch;
    }
    return count;
  };
}
