import type { GraphQLResolveInfo } from 'graphql';
import type { Fetched } from '../cache/cached.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import { type Day, dayAt, type Span, startOf } from '../time.ts';
import { noteFreshUntil } from '../usage/operation.ts';
import type { Context, Gateway } from './context.ts';
import { namesBelow } from './selection.ts';

/** What datasets have in common: how long days are fresh, how far requests reach, what is cached of an answer. */

/**
 * How far from today requests are widened at most, in days: one client's odd question must not
 * make everybody's requests long.
 */
const MAX_PREFETCH_DAYS = 3660;

/** The part of a range that lies within MAX_PREFETCH_DAYS of today (`day`). */
export function nearby(range: Span | undefined, day: Day): Span | undefined {
  if (!range) return undefined;
  const start = Math.max(range.start, day - MAX_PREFETCH_DAYS);
  return { start, end: Math.min(range.end, day + MAX_PREFETCH_DAYS) };
}

const DAYS_PER_YEAR = 366;

/**
 * The days of a widened request. It reaches `back` days back from today (`day`); a year if more is asked for, and as far
 * as any request may be widened if that is not enough, since the next question is then likely to have another length;
 * and up to `ahead` days after today. It always contains all that is asked for.
 */
export function widened(
  asked: Span,
  day: Day,
  { back, ahead = 0 }: { back: number; ahead?: number },
): Span {
  const reaches = [back, DAYS_PER_YEAR, MAX_PREFETCH_DAYS];
  const reach = reaches.find((days) => asked.start >= day - days) ?? MAX_PREFETCH_DAYS;
  return { start: Math.min(day - reach, asked.start), end: Math.max(day + ahead, asked.end) };
}

/**
 * Age in days from which a day no longer changes. One day more than the default range of a history reaches back: all of
 * that is refreshed together, so that its provenance is not that of its oldest day.
 */
const SETTLED_AFTER_DAYS = 8;

/**
 * Returns how long a day is fresh, in milliseconds: `ttl.settledDays` for settled days,
 * `recentTtl` for recent and future ones.
 */
export function freshByAge({ settings }: Gateway, recentTtl: number) {
  return (day: Day, now: number): number => {
    const age = dayAt(now, settings.timezone) - day;
    return age >= SETTLED_AFTER_DAYS ? settings.ttl.settledDays : recentTtl;
  };
}

/** Returns in how many milliseconds a day begins; 0 if it has begun. */
export function beginsIn({ settings }: Gateway) {
  const { timezone } = settings;
  return (day: Day, now: number): number =>
    day > dayAt(now, timezone) ? startOf(day, timezone) - now : 0;
}

/** Combines a value with the metadata of the answer it was made from, for a snapshot or a keyed set. */
export function fetched<V>(
  { origin, bytes, warnings }: Omit<Fetched<V>, 'value'>,
  value: V,
): Fetched<V> {
  return { value, origin, bytes, warnings };
}

/** Fields of a type that depend on an entry's key alone: to answer them, it is enough to know that the entry exists. */
interface Unchanging {
  typeName: string;
  fields: ReadonlySet<string>;
  /** How long a new list would be fresh, in milliseconds. */
  ttl: number;
}

/**
 * Returns an expired list if only `fields` are selected of its entry and the list is younger than `ttl.settledDays`: it
 * need not be requested again to show what belongs to the entry.
 */
export function expiredButEnough<K, V>(
  { isFresh, lastKnown }: Pick<Snapshot<K, V>, 'isFresh' | 'lastKnown'>,
  key: K,
  { typeName, fields, ttl }: Unchanging,
  { gateway, operation }: Context,
  info: GraphQLResolveInfo,
): V | undefined {
  const last = isFresh(key, operation) ? undefined : lastKnown(key);
  if (!last || !namesBelow(info, typeName).every((name) => fields.has(name))) return undefined;
  if (last.aging.now() - last.at >= gateway.settings.ttl.settledDays) return undefined;
  // The response stays fresh for at most as long as one from a new list would: the next list may lack the entry.
  noteFreshUntil(operation, gateway.monotonic() + ttl);
  return last.value;
}
