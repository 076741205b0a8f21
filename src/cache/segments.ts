import type { Day, Span } from '../time.ts';
import type { Origin } from '../upstream/endpoint.ts';
import type { Warning } from '../usage/operation.ts';
import { MEMORY_FACTOR, type Cached } from './cached.ts';

/** How the days of answers (filed-days.ts) are laid over each other, clipped to a range and combined. */

/** A record, the day it is filed under, and its place in the answer it came in. */
export interface Entry<R> {
  day: Day;
  position: number;
  record: R;
}

/** The order in which an answer's days came: ascending (1) or descending (-1); 0 if it cannot be told. */
export type Order = -1 | 0 | 1;

/**
 * Neighboring days of one answer that expire together. A day without records is covered all the same:
 * it was asked for, and has none.
 */
export interface Segment<R> extends Span {
  /** When its answer came, and when it expires, as `Aging` counts time. */
  at: number;
  expiresAt: number;
  origin: Origin;
  warnings: readonly Warning[];
  order: Order;
  /** The average size of a record in the answer it came in. */
  bytesPerRecord: number;
  /** See `Answer.isProvisional`. */
  isProvisional: boolean;
  /** Whether it is from an earlier answer, kept because the last one was provisional and brought nothing. */
  isOld?: boolean;
  /** In the upstream's order. */
  entries: readonly Entry<R>[];
}

/** The coverage of a key: disjoint segments in ascending order of day. */
export type Segments<R> = readonly Segment<R>[];

/** The segments with `added` laid over them one by one: newer answers replace older ones day by day. */
export function overlay<R>(segments: Segments<R>, added: Segments<R>): Segments<R> {
  return added.reduce((all, one) => {
    const before = clip(all, { start: -Infinity, end: one.start - 1 });
    const after = clip(all, { start: one.end + 1, end: Infinity });
    return [...before, one, ...after];
  }, segments);
}

/** Does what `overlay` does, but keeps segments that came after `at`, the moment at which `added` came. */
export function overlayByAge<R>(
  segments: Segments<R>,
  added: Segments<R>,
  at: number,
): Segments<R> {
  const later = segments.filter((segment) => segment.at > at);
  return overlay(overlay(segments, added), later);
}

/** The segments that have any day of `span`, whole. */
export function within<R>(segments: Segments<R>, span: Span): Segments<R> {
  return segments.filter(({ start, end }) => start <= span.end && end >= span.start);
}

/** The part of the segments that lies within `span`. */
export function clip<R>(segments: Segments<R>, span: Span): Segments<R> {
  return within(segments, span).map((segment) => {
    if (segment.start >= span.start && segment.end <= span.end) return segment;
    const start = Math.max(segment.start, span.start);
    const end = Math.min(segment.end, span.end);
    return { ...segment, start, end, entries: entriesWithin(segment, { start, end }) };
  });
}

function entriesWithin<R>(
  { entries, order }: Segment<R>,
  { start, end }: Span,
): readonly Entry<R>[] {
  if (order === 0) return entries.filter(({ day }) => day >= start && day <= end);
  const [first, last] = order === 1 ? [start, end] : [-end, -start];
  return entries.slice(indexOf(first, entries, order), indexOf(last + 1, entries, order));
}

/** How many of the entries come before a day; in descending order, days count backwards. */
function indexOf(day: number, entries: readonly Entry<unknown>[], order: Order): number {
  let [from, to] = [0, entries.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (entries[middle]!.day * order < day) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Each record once: if several answers have the same one under different days, that of the latest answer is kept. */
export function withoutRepeats<R>(
  segments: Segments<R>,
  keyOf: (record: R) => string,
): Segments<R> {
  if (segments.every(({ origin }) => origin === segments[0]?.origin)) return segments;
  const latestOf = new Map<string, R>();
  for (const { entries } of segments.toSorted((a, b) => a.at - b.at))
    for (const { record } of entries) latestOf.set(keyOf(record), record);
  const latest = new Set(latestOf.values());
  return segments.map((segment) => ({
    ...segment,
    entries: segment.entries.filter(({ record }) => latest.has(record)),
  }));
}

/**
 * The records of several segments in the order in which the upstream would return them. `usual` is the order of the
 * dataset's other answers: segments of one day each do not tell it.
 */
export function inUpstreamOrder<R>(segments: Segments<R>, usual: Order = 0): R[] {
  const isOneAnswer = segments.every(({ origin }) => origin === segments[0]?.origin);
  const own = segments.find((segment) => segment.order !== 0)?.order;
  const order = own ?? (isOneAnswer ? 0 : usual);
  const isSorted = segments.every((one) => one.order === order || one.start === one.end);
  // Long histories are read often, and most came in order.
  if (order !== 0 && isSorted) return recordsOf(order === 1 ? segments : segments.toReversed());
  const entries = segments.flatMap((segment) => segment.entries);
  if (isOneAnswer) entries.sort((a, b) => a.position - b.position);
  else entries.sort((a, b) => (order === -1 ? b.day - a.day : a.day - b.day));
  return entries.map(({ record }) => record);
}

/** Allocates the whole array at the start: one that grows leaves its shorter copies to the garbage collector. */
function recordsOf<R>(segments: Segments<R>): R[] {
  const records: R[] = [];
  records.length = segments.reduce((sum, { entries }) => sum + entries.length, 0);
  let index = 0;
  for (const { entries } of segments)
    for (const { record } of entries) {
      records[index] = record;
      index += 1;
    }
  return records;
}

/**
 * The days of the last `count` values up to `end`, as far as the segments tell, or all days from `earliest` on if there
 * are fewer values. Undefined if it cannot be told, since days in between are not covered and may have values. With
 * `mayHaveGaps` such days are allowed: there are then at least `count` values.
 */
export function daysOfLast(
  all: Segments<unknown>,
  { count, end }: { count: number; end: Day },
  earliest: Day,
  mayHaveGaps = false,
): Span | undefined {
  let left = count;
  let covered = end + 1;
  for (const segment of all.toReversed()) {
    if (segment.start > end) continue;
    if (segment.end < covered - 1 && !mayHaveGaps) return undefined;
    const held = segment.entries.map(({ day }) => day).filter((day) => day <= end);
    const start = held.toSorted((a, b) => b - a)[left - 1];
    if (start !== undefined) return { start, end };
    left -= held.length;
    covered = segment.start;
    if (covered <= earliest) return { start: earliest, end };
  }
  return undefined;
}

/** The records of some days in the upstream's order, as old as the oldest and fresh until the first expires. */
export interface Days<R> extends Cached<readonly R[]> {
  /** Why days past their time to live are among them, if a request has failed. */
  readonly failure?: Error | undefined;
}

const BYTES_PER_SEGMENT = 200;

/** The approximate size of segments in memory, in bytes. */
export function sizeOf(segments: Segments<unknown>): number {
  const bytes = segments.map(
    ({ entries, bytesPerRecord }) => entries.length * bytesPerRecord + BYTES_PER_SEGMENT,
  );
  return bytes.reduce((sum, one) => sum + one, 0) * MEMORY_FACTOR;
}
