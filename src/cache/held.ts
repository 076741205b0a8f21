import type { Operation, Used } from '../usage/operation.ts';
import { noteUse } from '../usage/operation.ts';
import type { Origin } from '../upstream/endpoint.ts';

/** A cached value with its age. Values are shared by all operations: nobody changes them. */
export interface Held<T> extends Used {
  readonly value: T;
  readonly origin: Origin;
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
