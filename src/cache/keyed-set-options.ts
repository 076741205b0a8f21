import type { Fetched } from './cached.ts';
import type { KnownNames } from './known-names.ts';
import type { Operation } from '../usage/operation.ts';
import type { NameListOptions } from './name-list.ts';
import type { CacheOptions, Requests } from './requests.ts';

/** What a keyed set has to know from its dataset and from the gateway. */

export interface KeyedSetOptions<K, R, Raw> extends NameListOptions, CacheOptions<KnownNames<R>> {
  /** How long an answer is fresh, in milliseconds. */
  ttl: number;
  /** The expected size of a record before the first answer, in bytes of JSON. */
  bytesPerRecord: number;
  /** Names to ask for along with others, the most wanted last; by default all that were found before. */
  extraNames?(key: K): readonly string[] | undefined;
  /** Names that are likely to be asked for next, the likeliest last. */
  likelyNames?(key: K, operation: Operation): readonly string[];
  /** Size of a request's path and query without names, in bytes. */
  emptyBytes(key: K): number;
  requests: Requests<K, readonly string[], Answered<R>, Raw>;
}

export type Answered<R> = Fetched<ReadonlyMap<string, R>>;
