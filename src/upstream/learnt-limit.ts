import { MAX_RAISE_AFTER_MS, RAISE_AFTER_MS } from '../shared/permits.ts';
import type { Clock } from '../time.ts';

/** When a request was sent, and how many were in the second before it. */
interface Sent {
  readonly at: number;
  readonly earlier: number;
}

/**
 * How many requests a second the upstream accepts, as far as refusals tell. `perSecond` is the most
 * that is ever tried; Infinity where no limit is known.
 */
export function createLearntLimit(perSecond: number, monotonic: Clock) {
  let limit = perSecond;
  let changedAt = -Infinity;
  let raiseAfter = RAISE_AFTER_MS;
  /** How much more is tried next. */
  let step = 1;
  let raisedAt = -Infinity;

  return {
    limit: () => limit,
    /** Tries more where the limit has not been refused for a while; whether it did. */
    raise(): boolean {
      if (limit >= perSecond || monotonic() - changedAt < raiseAfter) return false;
      // The raise before this one was accepted.
      if (step > 1) raiseAfter = RAISE_AFTER_MS;
      limit = Math.min(perSecond, limit + step);
      step *= 2;
      changedAt = raisedAt = monotonic();
      return true;
    },
    /**
     * Where nothing was sent before it, a refusal tells nothing of the limit. One that belongs to a
     * request from before the last raise tells what is known already.
     */
    noteRefused({ at, earlier }: Sent): void {
      if (earlier === 0 || at < raisedAt || earlier >= limit) return;
      if (step > 1) raiseAfter = Math.min(MAX_RAISE_AFTER_MS, raiseAfter * 2);
      limit = earlier;
      step = 1;
      changedAt = monotonic();
    },
  };
}
