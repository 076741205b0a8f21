import { createBound } from '../cache/bound.ts';
import { createDayRange, type DayRange, type DayRangeOptions } from '../cache/day-range.ts';
import {
  createSnapshot,
  type Snapshot,
  type SnapshotOptions,
  type Taken,
} from '../cache/snapshot.ts';
import { type Day, dayAt, formatDay, type Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import { type Context, type Gateway, today } from './context.ts';
import type { Days } from '../cache/days.ts';
import type { Segments } from '../cache/segments.ts';
import { createLoader, type Loader } from './loader.ts';

/** The two shapes of cache with a gateway's clock, store and pauses, and their loaders. */

type Wired = 'name' | 'shelf' | 'pauses' | 'now';

export function openSnapshot<K, V>(
  { store, pauses, now }: Gateway,
  name: string,
  options: Omit<SnapshotOptions<K, V>, Wired>,
): Snapshot<K, V> {
  return createSnapshot({ name, shelf: store.shelf(), pauses, now, ...options });
}

interface DatasetOptions<K, R> extends Omit<DayRangeOptions<K, R>, Wired | 'bound'> {
  /** What a day's records may weigh at most: it lets the first request grow further. */
  bytesPerDay?: number;
}

export function openDayRange<K, R>(
  gateway: Gateway,
  name: string,
  { bytesPerDay, wish, ...options }: DatasetOptions<K, R>,
): DayRange<K, R> {
  const { store, pauses, now, settings } = gateway;
  const bound = createBound(settings.widenMaxBytes, bytesPerDay);
  const wished = (key: K, asked: Span) => nearby(wish(key, asked), today(gateway));
  const shelf = store.shelf<Segments<R>>();
  return createDayRange({ name, shelf, pauses, now, bound, ...options, wish: wished });
}

/** A request grows no further: one client's odd question must not make those of all others odd. */
const GROWS_UP_TO_DAYS = 3660;

function nearby(wished: Span | undefined, day: Day): Span | undefined {
  if (!wished) return undefined;
  const start = Math.max(wished.start, day - GROWS_UP_TO_DAYS);
  return { start, end: Math.min(wished.end, day + GROWS_UP_TO_DAYS) };
}

/** Days this far back no longer change. */
const SETTLED_AFTER_DAYS = 7;

/** When a day has to be asked again: recent days soon, settled days late. */
export function expiryOf({ settings }: Gateway, recentTtl: number) {
  return (day: Day, retrievedAt: number): number => {
    const age = dayAt(retrievedAt, settings.timezone) - day;
    return retrievedAt + (age >= SETTLED_AFTER_DAYS ? settings.ttl.settledDays : recentTtl);
  };
}

/** A snapshot's value made of a whole answer. */
export function taken<R, V>(answer: Answer<R>, value: V): Taken<V> {
  return { value, origin: answer.origin, bytes: answer.bytes, warnings: answer.warnings };
}

/** The loader of a snapshot: every key of the operation on its own. */
export function snapshotLoader<K, V>(
  snapshot: Snapshot<K, V>,
  keyOf: (key: K) => string,
  { operation }: Context,
) {
  return createLoader({
    operation,
    keyOf,
    read: (key: K) => snapshot.read(key, operation),
    batch: (keys) => Promise.all(keys.map((key) => snapshot.load(key, operation).catch(asError))),
  });
}

/** Some days of one key. */
export interface DaysWanted<K> {
  key: K;
  span: Span;
}

/** The loader of a day range: all spans of one key are planned together. */
export function dayRangeLoader<K, R>(
  range: DayRange<K, R>,
  keyOf: (key: K) => string,
  { operation }: Context,
): Loader<DaysWanted<K>, Days<R>> {
  return createLoader({
    operation,
    keyOf: ({ key, span }) => `${keyOf(key)} ${formatDay(span.start)} ${formatDay(span.end)}`,
    read: ({ key, span }) => range.read(key, span, operation),
    async batch(wants) {
      const results = new Map<DaysWanted<K>, Days<R> | Error>();
      const groups = Map.groupBy(wants, ({ key }) => keyOf(key));
      await Promise.all(
        [...groups.values()].map(async (group) => {
          const spans = group.map(({ span }) => span);
          const found = await range.load(group[0]!.key, spans, operation);
          for (const [i, want] of group.entries()) results.set(want, found[i]!);
        }),
      );
      return wants.map((want) => results.get(want)!);
    },
  });
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
