import { ExponentialBackoff, type IBackoff } from 'cockatiel';
import { createBoundedMap } from '../bounded-map.ts';
import type { Clock } from '../time.ts';
import {
  FailedOnText,
  type FailureCode,
  FreeRefusal,
  IncompleteBody,
  isTimeout,
  MarketError,
  NotSent,
} from '../upstream/errors.ts';

/** Backoff: after a failure nothing is sent for a while, longer with each further failure, until a success. */

interface Pause {
  error: MarketError;
  until: number;
  /** For each kind of failure since the last success. */
  backoffs: Partial<Record<Kind, IBackoff<unknown>>>;
}

/** With random jitter, so that many gateways do not retry at the same moment. */
const BACKOFFS = {
  /** An answer that cannot be read, or breaks off, may have been charged, and so may every further one. */
  unreadable: new ExponentialBackoff({ initialDelay: 200, maxDelay: 300_000 }),
  other: new ExponentialBackoff({ initialDelay: 200, maxDelay: 30_000 }),
};
type Kind = keyof typeof BACKOFFS;

/** Failures that start no pause: they say nothing about the next operation's chances, or are remembered elsewhere. */
const NOT_REMEMBERED: readonly FailureCode[] = [
  'BAD_USER_INPUT',
  'UPSTREAM_BUDGET_EXCEEDED',
  'QUOTA_EXCEEDED',
  'INSUFFICIENT_CREDITS',
];

const MAX_PAUSES = 1000;

export function createFailurePauses(monotonic: Clock) {
  const pauses = createBoundedMap<string, Pause>(MAX_PAUSES);

  function noteFailure(id: string, error: unknown): void {
    if (!(error instanceof MarketError) || error instanceof NotSent) return;
    if (NOT_REMEMBERED.includes(error.code)) return;
    const kind = kindOf(error);
    const backoffs = pauses.get(id)?.backoffs ?? {};
    const next = backoffs[kind]?.next(undefined) ?? BACKOFFS[kind].next();
    const until = monotonic() + next.duration;
    pauses.set(id, { error, until, backoffs: { ...backoffs, [kind]: next } });
  }

  function throwIfPaused(id: string): void {
    const pause = pauses.get(id);
    if (pause && monotonic() < pause.until) throw pause.error;
  }

  return {
    /**
     * Runs `task`; during the pause after a failure, rejects with that failure instead. A failure of the upstream on what
     * one client has chosen freely, e.g. on a day of the year 1, says nothing about other questions under the same key: it
     * holds back only the same question. `questionOf` returns the key and what is asked under it, which may grow while the
     * task runs.
     */
    async guard<T>(key: string, questionOf: () => string, task: () => Promise<T>): Promise<T> {
      throwIfPaused(key);
      throwIfPaused(questionOf());
      try {
        const result = await task();
        pauses.delete(key);
        pauses.delete(questionOf());
        return result;
      } catch (error) {
        noteFailure(error instanceof FailedOnText ? questionOf() : key, error);
        throw error;
      }
    },
  };
}

function kindOf(error: MarketError): Kind {
  const isUnreadable = error.code === 'UPSTREAM_BAD_RESPONSE' && !(error instanceof FreeRefusal);
  const isCutOff = error instanceof IncompleteBody && !isTimeout(error);
  return isUnreadable || isCutOff ? 'unreadable' : 'other';
}
