import { createContextCache } from '@pothos/core';
import type { Fetched, Cached } from '../cache/cached.ts';
import { createDayRange } from '../cache/day-range.ts';
import type { DayRange, DayRangeOptions } from '../cache/day-range-options.ts';
import { createKeyedSet } from '../cache/keyed-set.ts';
import type { FetchedNames, KeyedSet, KeyedSetOptions } from '../cache/keyed-set-options.ts';
import type { Known, KnownNames } from '../cache/known-names.ts';
import type { Days, Segments } from '../cache/segments.ts';
import {
  createSnapshot,
  type Held,
  type Snapshot,
  type SnapshotOptions,
} from '../cache/snapshot.ts';
import type { Asked } from '../shared/shared.ts';
import { dayAt, formatDay, type Span, DAY_MS } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import type { Operation } from '../usage/operation.ts';
import { type Context, type Gateway, perOperation, today } from './context.ts';
import { asError, type Maybe } from '../maybe.ts';
import type { CacheOptions, Requests } from '../cache/requests.ts';
import type { Meter } from '../meters.ts';
import { nearby } from './freshness.ts';
import { createLoader } from './loader.ts';
import { registerPreload } from './preload.ts';

/**
 * How a domain describes what it asks of the upstream. Choose by what one request can bring:
 *
 * - `defineSnapshot`: one answer holds everything, or all that belongs to a small key, and narrower
 *   questions are answered from it. FX rates, the macro catalog, the first 500 crypto assets.
 * - `defineDayRange`: records belong to days, and a request names its first and last day. Only missing
 *   days are asked for. Calendar, legislation; for a series, use `defineSeries` (series.ts).
 * - `defineKeyedSet`: records are asked for by name, several in one request, and there are too many
 *   for one answer. Crypto assets below the first 500.
 *
 * Each needs `keyOf`, which returns text that holds everything an answer depends on besides days or names; `parseKey`,
 * which turns that text back into the key; how long an answer is fresh; and what one request asks for and how its
 * answer is read (cache/requests.ts). Resolvers then call `load`, which returns fresh data at once, and otherwise a
 * promise, which rejects with a MarketError on failure. What the fields that begin together want is planned
 * together (loader.ts); an operation that asks for the same thing twice gets the same answer.
 */

/** A dataset's cache, one for each gateway. */
interface Dataset<Cache> {
  cache(gateway: Gateway): Cache;
}

interface WholeAnswers<K, V> extends Dataset<Snapshot<K, V>> {
  load(key: K, context: Context): Maybe<Cached<V>>;
}

/** `P` is what a question asks for under a key: a range of days, or a name. */
interface Parts<Cache, K, P, V> extends Dataset<Cache> {
  load(key: K, part: P, context: Context): Maybe<V>;
}

/** How a domain describes a dataset: its requests, and the options of its cache that the gateway does not set. */
type Description<Options, K, P extends Asked, A, Raw> = Requests<K, P, A, Raw> &
  Omit<Options, keyof CacheOptions<unknown> | 'maxBytes' | 'dayAt' | 'requests'>;

/** How long answers are stored beyond the longest TTL, in ms, for when the upstream is down or its allowance low. */
const KEPT_STALE_MS = 40 * DAY_MS;

/** The options that the gateway gives to the cache of a dataset whose requests count against `meter`. */
function cacheOptions<T>(gateway: Gateway, meter: Meter): CacheOptions<T> {
  const { store, monotonic, now, client, shared, settings } = gateway;
  const keepMs = Math.max(...Object.values(settings.ttl)) + KEPT_STALE_MS;
  // Each attempt of a request makes its own claim, and makes it anew if it then has to wait for its units
  // (upstream/pay.ts). If it has to wait for another permit, another process may take over the claim.
  const leaseMs = settings.upstreamTimeoutMs + 1000;
  const sources = { client, shared, keepMs, leaseMs };
  const aging = gateway.governors[meter];
  return { namespace: store.namespace<T>(), monotonic, aging, now, sources };
}

export function defineSnapshot<K, V, Raw>(
  describe: (gateway: Gateway) => Description<SnapshotOptions<K, V, Raw>, K, null, Fetched<V>, Raw>,
): WholeAnswers<K, V> {
  const cache = createContextCache((gateway: Gateway) => {
    const requests = describe(gateway);
    const options = cacheOptions<Held<V>>(gateway, requests.endpoint.meter);
    return createSnapshot({ ...options, ...requests, requests });
  });
  registerPreload(cache);
  const loader = perOperation((context: Context) => {
    const { operation } = context;
    const { keyOf, read, load } = cache(context.gateway);
    return createLoader<K, Cached<V>>(context, {
      keyOf,
      read: (key) => read(key, operation),
      batch: (keys) => Promise.all(keys.map((key) => load(key, operation).catch(asError))),
    });
  });
  return { cache, load: (key, context) => loader(context)(key) };
}

export function defineDayRange<K, R, Raw>(
  describe: (gateway: Gateway) => Description<DayRangeOptions<K, R, Raw>, K, Span, Answer<R>, Raw>,
): Parts<DayRange<K, R>, K, Span, Days<R>> {
  const cache = createContextCache((gateway: Gateway) => {
    const requests = describe(gateway);
    return createDayRange({
      ...cacheOptions<Segments<R>>(gateway, requests.endpoint.meter),
      maxBytes: gateway.settings.widenMaxBytes,
      dayAt: (instant) => dayAt(instant, gateway.settings.timezone),
      ...requests,
      requests,
      prefetch: (key, asked) => nearby(requests.prefetch(key, asked), today(gateway)),
    });
  });
  registerPreload(cache);
  const nameOf = ({ start, end }: Span) => `${formatDay(start)} ${formatDay(end)}`;
  return { cache, load: partsLoader<K, Span, Days<R>>(cache, nameOf) };
}

export function defineKeyedSet<K, R, Raw>(
  describe: (
    gateway: Gateway,
  ) => Description<KeyedSetOptions<K, R, Raw>, K, readonly string[], FetchedNames<R>, Raw>,
): Parts<KeyedSet<K, R>, K, string, Known<R>> {
  const cache = createContextCache((gateway: Gateway) => {
    const requests = describe(gateway);
    return createKeyedSet({
      ...cacheOptions<KnownNames<R>>(gateway, requests.endpoint.meter),
      maxBytes: gateway.settings.upstreamMaxUrlBytes,
      ...requests,
      requests,
    });
  });
  registerPreload(cache);
  return { cache, load: partsLoader<K, string, Known<R>>(cache, (name) => name) };
}

/** What day ranges and keyed sets have in common. */
interface PartsCache<K, P, V> {
  keyOf(key: K): string;
  read(key: K, part: P, operation: Operation): V | undefined;
  load(key: K, parts: readonly P[], operation: Operation): Promise<(V | Error)[]>;
}

/** Returns a function that loads parts of several keys; the parts of one key are planned together. */
export function partsLoader<K, P, V>(
  cacheOf: (gateway: Gateway) => PartsCache<K, P, V>,
  nameOf: (part: P) => string,
): Parts<unknown, K, P, V>['load'] {
  type Want = { key: K; part: P };
  const loader = perOperation((context: Context) => {
    const { operation } = context;
    const { keyOf, read, load } = cacheOf(context.gateway);
    return createLoader<Want, V>(context, {
      keyOf: ({ key, part }) => `${keyOf(key)} ${nameOf(part)}`,
      read: ({ key, part }) => read(key, part, operation),
      async batch(wants) {
        const results = new Map<Want, V | Error>();
        const loadGroup = async (group: readonly Want[]) => {
          const parts = group.map(({ part }) => part);
          const loaded = await load(group[0]!.key, parts, operation);
          for (const [i, want] of group.entries()) results.set(want, loaded[i]!);
        };
        const groups = Map.groupBy(wants, ({ key }) => keyOf(key)).values();
        await Promise.all(groups.map(loadGroup));
        return wants.map((want) => results.get(want)!);
      },
    });
  });
  return (key, part, context) => loader(context)({ key, part });
}
