import type { Maybe } from '../maybe.ts';
import { ABOUT } from '../shared/asked.ts';
import type { Operation } from '../usage/operation.ts';
import {
  MEMORY_FACTOR,
  type Fetched,
  type Cached,
  isFresh,
  serve,
  serveHit,
  serveStale,
} from './cached.ts';
import { type CacheOptions, type Moment, type Requests, suitableKeys } from './requests.ts';
import { DAY_MS } from '../time.ts';
import { createSingleFlight } from './single-flight.ts';
import { createSupply } from './supply.ts';

/**
 * Whole answers, each under a small key. The dataset answers narrower questions from them. A refresh of a key is shared
 * by all operations that wait for it.
 */
export interface Snapshot<K, V> {
  keyOf(key: K): string;
  /** Returns the value at once if it is fresh, otherwise undefined. */
  read(key: K, operation: Operation): Cached<V> | undefined;
  /**
   * Returns the fresh value, else what a refresh brings, else the old value, marked stale. Rejects with a MarketError.
   */
  load(key: K, operation: Operation): Promise<Cached<V>>;
  /** Caches an answer that came another way, at `at`. */
  file(key: K, fetched: Fetched<V>, at: Moment): Cached<V>;
  /** Caches what is stored under a key in its stored form; ignores keys of other datasets. */
  preload(storedKey: string): Maybe<unknown>;
  /** Caches what other processes have stored since the last call; returns whether there was anything. */
  catchUp(key: K): Maybe<boolean>;
  /** Whether `read` would answer; counts no cache hit. */
  isFresh(key: K, operation: Operation): boolean;
  /** The last known value, however old, perhaps of an earlier day; counts no cache hit. */
  lastKnown(key: K): Cached<V> | undefined;
}

/** A cached value, and the size of the answer that brought it. */
export interface Held<V> extends Cached<V> {
  readonly bytes: number;
  /** Since when answers have had no records; undefined if the last one had some. */
  readonly emptySince?: number | undefined;
}

/** How soon the upstream is asked again after an answer that should have records; pauses double as long as it has none. */
const EMPTY_TTL_MS = 60_000;
/** For how long records outlast answers without any: after that they are taken to be gone. */
const MAX_EMPTY_MS = DAY_MS;

export interface SnapshotOptions<K, V, Raw> extends CacheOptions<Held<V>> {
  /** How long an answer is fresh, in milliseconds. */
  ttl: number;
  /**
   * Finds what an answer would replace although it is cached under another key, that of an earlier day. While units are
   * saved it is fresh for its time to live: a midnight must not cost a unit for each key.
   */
  earlier?(key: K, cachedFor: (key: K) => Held<V> | undefined): Held<V> | undefined;
  /** Whether a value has no records. One that has some outlasts answers without any, marked stale. Default: never. */
  isEmpty?(value: V): boolean;
  requests: Requests<K, null, Fetched<V>, Raw>;
}

export function createSnapshot<K, V, Raw>(options: SnapshotOptions<K, V, Raw>): Snapshot<K, V> {
  const { namespace, monotonic, aging, ttl, requests } = options;
  const { keyOf } = requests;
  const share = createSingleFlight<Cached<V>>(monotonic);

  const cachedFor = (key: K) => namespace.get(keyOf(key));
  const lastKnown = (key: K) => cachedFor(key) ?? options.earlier?.(key, cachedFor);

  function fresh(key: K, { spender }: Operation): Cached<V> | undefined {
    const cached = aging.stretch() > 1 ? lastKnown(key) : cachedFor(key);
    return cached && isFresh(cached, spender.priority, aging) ? cached : undefined;
  }

  /** Returns `before` if it outlasts answers without records: they may be missing only for a moment. */
  function outlasting(
    before: Held<V> | undefined,
    emptySince: number | undefined,
    at: number,
  ): Held<V> | undefined {
    if (!before || emptySince === undefined || options.isEmpty?.(before.value)) return undefined;
    return at - emptySince < MAX_EMPTY_MS ? before : undefined;
  }

  function file(key: K, fetched: Fetched<V>, at: Moment): Held<V> {
    const { value, origin, bytes, warnings, isDoubtful } = fetched;
    const before = lastKnown(key);
    const emptySince = options.isEmpty?.(value) ? (before?.emptySince ?? at.aging) : undefined;
    const known = outlasting(before, emptySince, at.aging);
    const pauseMs = Math.max(EMPTY_TTL_MS, at.aging - (emptySince ?? at.aging));
    const newExpiry = at.aging + (known || isDoubtful ? Math.min(ttl, pauseMs) : ttl);
    const expiresAt = Math.max(newExpiry, known?.expiresAt ?? newExpiry);
    const id = keyOf(key);
    // An answer that another process has stored may have come before the cached one.
    const cached = namespace.get(id);
    if (cached && (known ? cached.at > at.aging : cached.expiresAt > expiresAt)) return cached;
    const held = {
      ...(known ? { ...known, stale: true } : { value, origin, bytes, stale: false }),
      warnings,
      emptySince,
      dataset: requests.endpoint.name,
      at: at.aging,
      expiresAt,
      aging,
      isCurrent: () => false,
    };
    namespace.set(id, held, held.bytes * MEMORY_FACTOR);
    // The version is known once the value is stored.
    held.isCurrent = namespace.versionCheck(id);
    return held;
  }

  const supply = createSupply<K, null, null, Fetched<V>, Raw, Cached<V>>(requests, {
    ...options,
    about: ABOUT.all,
    askedBy: () => null,
    file: (key, _asked, fetched, at) => file(key, fetched, at),
    isEmpty: ({ value }) => options.isEmpty?.(value) ?? false,
    missing: (key, _wanted, operation) =>
      suitableKeys(requests, key).some((one) => fresh(one, operation)) ? undefined : null,
    held: (key) =>
      suitableKeys(requests, key)
        .flatMap((one) => lastKnown(one) ?? [])
        .reduce((a, b) => (b.at > a.at ? b : a)),
  });

  return {
    keyOf,
    file,
    preload: supply.preload,
    catchUp: supply.catchUp,
    isFresh: (key, operation) => fresh(key, operation) !== undefined,
    lastKnown,
    read(key, operation) {
      const cached = fresh(key, operation);
      return cached && serveHit(cached, operation);
    },
    async load(key, operation) {
      const caught = supply.catchUp(key);
      if (caught instanceof Promise) await caught;
      const cached = fresh(key, operation);
      if (cached) return serveHit(cached, operation);
      const id = keyOf(key);
      const old = lastKnown(key);
      const refresh = (clients: ReadonlySet<string>) =>
        supply.bring({ key, wanted: () => null, operation, old, clients });
      try {
        return serve(await share(id, operation, refresh), operation);
      } catch (error) {
        return serveStale(old, error, operation);
      }
    },
  };
}
