import type { Maybe } from '../maybe.ts';
import type { Fetched } from './cached.ts';
import type { Known, KnownNames } from './known-names.ts';
import type { Operation } from '../usage/operation.ts';
import type { NameListOptions } from './name-list.ts';
import type { CacheOptions, Requests } from './requests.ts';

/** What a keyed set offers, and what it has to know from its dataset and from the gateway. */

/**
 * Records asked for by name, several in one request, for each key separately. A request costs the same however many
 * names it has, so it also asks for those found before, as far as there is room; if it is refused, only the names that
 * are waited for are asked for again. A name that is missing in the answer is remembered as missing.
 */
export interface KeyedSet<K, R> {
  keyOf(key: K): string;
  /** Returns what is known of a name at once if it is fresh, otherwise undefined. */
  read(key: K, name: string, operation: Operation): Known<R> | undefined;
  /** Returns one result per name. */
  load(key: K, names: readonly string[], operation: Operation): Promise<(Known<R> | Error)[]>;
  /** Caches what is stored under a key in its stored form; ignores keys of other datasets. */
  preload(storedKey: string): Maybe<unknown>;
  /** Caches what other processes have stored since the last call; returns whether there was anything. */
  catchUp(key: K): Maybe<boolean>;
  /**
   * The record in the last answer about the name, however old it is; null if it had none. If none is in memory, reads
   * stored answers first, once for each key. Counts no cache hit.
   */
  lastRecord(key: K, name: string): Maybe<R | null>;
  /** What is cached about the name, however old it is; counts no cache hit. */
  lastKnown(key: K, name: string): Known<R> | undefined;
  /** Whether `read` would answer; counts no cache hit. */
  isFresh(key: K, name: string, operation: Operation): boolean;
}

export interface KeyedSetOptions<K, R, Raw> extends NameListOptions, CacheOptions<KnownNames<R>> {
  /** How long an answer is fresh, in milliseconds. */
  ttl: number;
  /** The expected size of a record before the first answer, in bytes of JSON. */
  bytesPerRecord: number;
  /**
   * Names to ask for along with others, the most wanted last; if undefined, `likelyNames` and all names found before.
   */
  extraNames?(key: K): readonly string[] | undefined;
  /** Names that are likely to be asked for next, the likeliest last; unused while `extraNames` returns a list. */
  likelyNames?(key: K, operation: Operation): readonly string[];
  /** Size of a request's path and query without names, in bytes. */
  emptyBytes(key: K): number;
  requests: Requests<K, readonly string[], FetchedNames<R>, Raw>;
}

export type FetchedNames<R> = Fetched<ReadonlyMap<string, R>>;
