import { MAX_RAISE_AFTER_MS, type Permit, RAISE_AFTER_MS } from '../shared/permits.ts';
import type { Clock } from '../time.ts';

/**
 * Learns from refusals how many requests per second the upstream accepts. `perSecond` is the highest limit
 * that is ever tried; Infinity if none is known.
 */
export function createLearnedLimit(perSecond: number, monotonic: Clock) {
  let limit = perSecond;
  let changedAt = -Infinity;
  let raiseAfter = RAISE_AFTER_MS;
  /** By how much the limit is raised next. */
  let step = 1;
  let raisedAt = -Infinity;

  return {
    limit: () => limit,
    /** Raises the limit if it has not changed for a while; returns whether it did. */
    raise(): boolean {
      if (limit >= perSecond || monotonic() - changedAt < raiseAfter) return false;
      // The previous raise was accepted.
      if (step > 1) raiseAfter = RAISE_AFTER_MS;
      limit = Math.min(perSecond, limit + step);
      step *= 2;
      changedAt = raisedAt = monotonic();
      return true;
    },
    /**
     * Lowers the limit after a refusal, if that is news. A refusal says nothing about the limit if nothing was sent in
     * the second before its request, and nothing new if its request was sent before the last raise.
     */
    noteRefused({ at, earlier }: Pick<Permit, 'at' | 'earlier'>): void {
      if (earlier === 0 || at < raisedAt || earlier >= limit) return;
      if (step > 1) raiseAfter = Math.min(MAX_RAISE_AFTER_MS, raiseAfter * 2);
      limit = earlier;
      step = 1;
      changedAt = monotonic();
    },
  };
}
