import type { Operation, Used } from '../usage/operation.ts';
import { noteUse } from '../usage/operation.ts';
import type { Origin } from '../upstream/endpoint.ts';

/** A cached value with its age. Values are shared by all operations: nobody changes them. */
export interface Held<T> extends Used {
  readonly value: T;
  readonly origin: Origin;
}

/** A clock that is set back by more than this is noticed. */
const CLOCK_STEP_MS = 1000;

/** Whether `now` is in the time from `since` to `until`: what was taken later than now says nothing of it. */
export function isWithin(now: number, since: number, until: number): boolean {
  return now < until && now > since - CLOCK_STEP_MS;
}

/** Whether something taken from the upstream may be used without asking again. */
export function isFresh(
  { expiresAt, origin }: Pick<Held<unknown>, 'expiresAt' | 'origin'>,
  now: number,
): boolean {
  return isWithin(now, origin.retrievedAt, expiresAt);
}

/** Books a question that was answered out of the cache. */
export function hit<T>(held: Held<T>, operation: Operation): Held<T> {
  operation.cacheHits += 1;
  return used(held, operation);
}

/** Books what went into an operation's answer. */
export function used<T>(held: Held<T>, operation: Operation): Held<T> {
  noteUse(operation, held);
  return held;
}
