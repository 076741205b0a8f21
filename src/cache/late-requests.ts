import { shareOf } from '../shared/asked.ts';
import type { Asked } from '../shared/shared.ts';
import { lengthOf } from '../spans.ts';
import { type MarketError, TooLong } from '../upstream/errors.ts';

/** What requests asked for whose answers did not come in time. */

/** A request that timed out. */
export interface LateRequest {
  timedOut: MarketError;
  asked: Asked;
}

const askedBy = new WeakMap<Error, Asked>();

/** Remembers what a failed request asked for as long as its error is in use. */
export function noteAsked(failure: unknown, asked: Asked): void {
  if (failure instanceof Error) askedBy.set(failure, asked);
}

/** Returns the last attempt that timed out: `known`, or a later one, which asked for `asked`. */
export function lastLate(
  known: LateRequest | undefined,
  timedOut: MarketError | undefined,
  asked: Asked | undefined,
): LateRequest | undefined {
  if (!timedOut || asked === undefined || timedOut === known?.timedOut) return known;
  noteAsked(timedOut, asked);
  return { timedOut, asked };
}

/** Returns how many days the failed request asked for; undefined if it did not ask for days. */
export function daysAskedBy(failure: Error): number | undefined {
  const asked = askedBy.get(failure);
  return asked && 'start' in asked ? lengthOf(asked) : undefined;
}

/** Whether what is asked for next would be late, too: it is no less than what comes in time. */
export const isLateAgain = (asked: Asked, last: LateRequest | undefined): boolean =>
  last?.timedOut instanceof TooLong && shareOf(asked, last.asked) >= (last.timedOut.share ?? 1);
