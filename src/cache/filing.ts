import type { z } from 'zod';
import type { Asked } from '../shared/shared.ts';
import type { Operation } from '../usage/operation.ts';
import type { CacheOptions, Moment } from './requests.ts';

/** What a cache does with answers. `W` is what a request asks for as the cache plans it. */
export interface Filing<K, W, P, A, T> extends CacheOptions<unknown> {
  /** Checks what a stored answer is about. */
  about: z.ZodType<P>;
  askedBy(wanted: W): P;
  /** `wanted`, extended by what other processes wait for; undefined where one request must not ask for both. */
  withOthers?(wanted: W, asked: Asked): W | undefined;
  /** What to ask for after a time-out: `wanted` without what nobody waits for, or a part of that. */
  narrowed?(wanted: W, key: K): W;
  /** Caches an answer; what came later than it stays. */
  file(key: K, asked: P, answer: A, at: Moment): T;
  /** The part of `wanted` that is not fresh; undefined: all of it is, or it has to be asked for in another way. */
  missing(key: K, wanted: W, operation: Operation): W | undefined;
  /** Whether all of it is fresh; by default where nothing is missing. */
  isHere?(key: K, wanted: W, operation: Operation): boolean;
  /** The part of `wanted` that is cached, for who has waited for it. */
  held(key: K, wanted: W, operation: Operation): T;
}
