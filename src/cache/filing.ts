import type { z } from 'zod';
import type { Asked } from '../shared/shared.ts';
import type { Operation } from '../usage/operation.ts';
import type { CacheOptions, Moment } from './requests.ts';

/** What a cache does with answers. `W` is what a request asks for as the cache plans it. */
export interface Filing<K, W, P, A, T> extends CacheOptions<unknown> {
  /** Checks what a stored answer is about. */
  about: z.ZodType<P>;
  askedBy(wanted: W): P;
  /** The same with what other processes wait for, too; undefined: that may not be asked together. */
  withOthers?(wanted: W, asked: Asked): W | undefined;
  /** The same without what nobody waits for, or a part of that, after its answer did not come in time. */
  narrowed?(wanted: W, key: K): W;
  /** Caches an answer, beneath what has come later. */
  file(key: K, asked: P, answer: A, at: Moment): T;
  /** What an operation waits for and is not there; undefined: all of it is, or need not be asked for like this. */
  missing(key: K, wanted: W, operation: Operation): W | undefined;
  /** Whether all of it is fresh; by default where nothing is missing. */
  isHere?(key: K, wanted: W, operation: Operation): boolean;
  /** What is there of it. */
  held(key: K, wanted: W, operation: Operation): T;
}
