import type { Origin } from '../upstream/endpoint.ts';
import { type Aging, expiryFor, type Lifetime, lifetimeOf } from '../spending/lifetimes.ts';
import type { Priority } from '../spending/priority.ts';
import { MarketError } from '../upstream/errors.ts';
import { noteUse, type Operation, type Used, type Warning } from '../usage/operation.ts';

/** What the caches hold and hand out, and what is booked when an operation uses it. */

/** A cached value. All operations share it, so it must never be changed. */
export interface Cached<T> extends Used {
  readonly value: T;
  readonly origin: Origin;
}

/** What a dataset makes of one upstream answer, before it is cached. */
export interface Fetched<V> {
  value: V;
  origin: Origin;
  /** The size of the answer's body. */
  bytes: number;
  warnings: readonly Warning[];
  /** Whether it lacks what the upstream always has: it is asked for again soon. */
  isDoubtful?: boolean;
}

/** The metadata of a value that is made of several parts: as old as the oldest, and fresh until the first expires. */
export function metadataOf(
  parts: readonly (Lifetime & Pick<Cached<unknown>, 'origin' | 'warnings'>)[],
) {
  const oldest = parts.reduce((a, b) => (b.origin.retrievedAt < a.origin.retrievedAt ? b : a));
  const warnings = [...new Set(parts.flatMap((part) => part.warnings))];
  return { origin: oldest.origin, ...lifetimeOf(parts), warnings };
}

/** Bytes of memory that a record takes for each byte of its JSON, approximately, its metadata in the cache included. */
export const MEMORY_FACTOR = 5;

/** The upstream has more records of these days than it sends: questions about them cannot be answered by day. */
export class CutShort extends MarketError {
  constructor() {
    super('UPSTREAM_BAD_RESPONSE', {
      message: 'The upstream has more records for these days than it returns',
    });
  }
}

/**
 * A 404 to a request for more days than somebody wants: it may mean that so long a range is not accepted, so it counts
 * as a refusal, and the fewer days are asked for.
 */
export class NotFoundInMore extends MarketError {
  constructor() {
    super('BAD_USER_INPUT', { message: 'The upstream found nothing in so long a range' });
  }
}

/** Whether a value may be served to clients of a priority without asking the upstream again. */
export function isFresh(value: Lifetime, priority: Priority, aging: Aging): boolean {
  return aging.now() < expiryFor(value, priority, aging);
}

/**
 * Whether an operation that asked at `asked` may use a value without asking again. What its request has brought may have
 * been cached before, and be fresh only for the client that started the request.
 */
export function isUsable(
  value: Lifetime,
  asked: number,
  { spender: { priority } }: Operation,
  aging: Aging,
): boolean {
  return value.at >= asked || isFresh(value, priority, aging);
}

/** Hands out a fresh value: the operation counts a cache hit. */
export function serveHit<T>(cached: Cached<T>, operation: Operation): Cached<T> {
  operation.cacheHits += 1;
  noteUse(operation, cached, true);
  return cached;
}

/** Hands out a value that has just come, or is stale: its expiry and warnings become the operation's. */
export function serve<T extends Used>(cached: T, operation: Operation): T {
  noteUse(operation, cached, false);
  return cached;
}

export const isLater = (a: Cached<unknown>, b: Cached<unknown>): boolean =>
  a.origin.retrievedAt > b.origin.retrievedAt;

/** In `Operation.parts`: the response is not kept (pipeline/reply.ts): another question may bring what it lacks. */
export const alwaysAgain = () => false;

/**
 * Hands out a value past its time to live, marked stale; throws `failure` if there is none or the failure forbids that.
 */
export function serveStale<T>(
  old: Cached<T> | undefined,
  failure: unknown,
  operation: Operation,
): Cached<T> {
  if (!old || !allowsStale(failure)) throw failure;
  return serve({ ...old, stale: true }, operation);
}

/** Whether data past its time to live may be served instead of this failure: not to a client whose key was revoked. */
export function allowsStale(failure: unknown): boolean {
  if (!(failure instanceof MarketError)) return false;
  return failure.code !== 'UNAUTHENTICATED' && !isOverBudget(failure);
}

/** Whether a failure means that the operation has sent as many requests, or spent as many units, as it may. */
export function isOverBudget(failure: unknown): boolean {
  return failure instanceof MarketError && failure.code === 'UPSTREAM_BUDGET_EXCEEDED';
}

/** Whether the upstream refused what it was asked for, which costs nothing. */
export function isRefused(failure: unknown): boolean {
  return failure instanceof MarketError && failure.code === 'BAD_USER_INPUT';
}
