import type { z } from 'zod';
import type { Asked } from '../shared/shared.ts';
import type { Operation } from '../usage/operation.ts';
import type { CacheOptions, Moment } from './requests.ts';

/** How a cache files answers. `W` is what a request asks for as the cache plans it, `P` as it is stored. */
export interface Filing<K, W, P, A, T> extends CacheOptions<unknown> {
  /** Checks what a stored answer is about. */
  about: z.ZodType<P>;
  askedBy(wanted: W): P;
  /**
   * `wanted`, extended by what other processes wait for; undefined if that adds nothing, or if one
   * request must not ask for both.
   */
  withOthers?(wanted: W, asked: Asked): W | undefined;
  /** What to ask for after a timeout: `wanted` without what nobody waits for, or a part of that. */
  narrowed?(wanted: W, key: K): W;
  /** Caches an answer; what came later than it is kept. */
  file(key: K, asked: P, answer: A, at: Moment): T;
  /** Whether an answer has no records. Those known before may outlast it. By default, none is empty. */
  isEmpty?(answer: A): boolean;
  /** Whether an answer is not believed, because less of what was asked for may bring more. By default, none is. */
  isRejected?(answer: A, asked: P, wanted: W): boolean;
  /** The part of `wanted` that is not fresh; undefined if there is none, or if it must be asked for in another way. */
  missing(key: K, wanted: W, operation: Operation): W | undefined;
  /** Whether all of `wanted` is fresh; by default, whether nothing is missing. */
  isFresh?(key: K, wanted: W, operation: Operation): boolean;
  /** The cached part of `wanted`, for an operation that has waited for it. */
  held(key: K, wanted: W, operation: Operation): T;
}
