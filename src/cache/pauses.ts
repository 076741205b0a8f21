import { ExponentialBackoff, type IBackoff } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../time.ts';
import { type FailureCode, MarketError, NotSent } from '../upstream/errors.ts';

/** After a failed refresh the next try waits: refreshes of the same thing do not pile up. */
export interface Pauses {
  /** Runs `task`; while a failure of this key makes it wait, rejects with that failure instead. */
  guard<T>(key: string, task: () => Promise<T>): Promise<T>;
}

interface Pause {
  error: MarketError;
  until: number;
  backoff: IBackoff<unknown>;
}

/** Jittered by the library, so that many gateways do not come back at the same moment. */
const backoff = new ExponentialBackoff({ initialDelay: 200, maxDelay: 30_000 });

/** These say nothing about the next operation's chances, or have a memory of their own. */
const NOT_REMEMBERED: readonly FailureCode[] = [
  'BAD_USER_INPUT',
  'UPSTREAM_BUDGET_EXCEEDED',
  'QUOTA_EXCEEDED',
  'INSUFFICIENT_CREDITS',
];

export function createPauses(now: Clock): Pauses {
  const pauses = new LRUCache<string, Pause>({ max: 10_000 });

  function noteFailure(key: string, error: unknown): void {
    if (!(error instanceof MarketError) || error instanceof NotSent) return;
    if (NOT_REMEMBERED.includes(error.code)) return;
    const next = pauses.get(key)?.backoff.next(undefined) ?? backoff.next();
    pauses.set(key, { error, until: now() + next.duration, backoff: next });
  }

  return {
    async guard(key, task) {
      const pause = pauses.get(key);
      if (pause && now() < pause.until) throw pause.error;
      try {
        const result = await task();
        pauses.delete(key);
        return result;
      } catch (error) {
        noteFailure(key, error);
        throw error;
      }
    },
  };
}

/** Budget and deadline of the operation that started a flight are no business of those that joined. */
export function endsWithItsOwner(error: unknown): boolean {
  return isOverBudget(error) || (error instanceof NotSent && error.code === 'RATE_LIMITED');
}

function isOverBudget(error: unknown): boolean {
  return error instanceof MarketError && error.code === 'UPSTREAM_BUDGET_EXCEEDED';
}

/** Whether data past its time to live may be served instead of this failure. */
export function servesOldData(error: unknown): boolean {
  return error instanceof MarketError && !isOverBudget(error);
}

/** The upstream refused what it was asked for. */
export function isRefused(error: unknown): boolean {
  return error instanceof MarketError && error.code === 'BAD_USER_INPUT';
}
