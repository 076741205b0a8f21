import { firstToExpire } from '../spending/lifetimes.ts';
import type { Day, Span } from '../time.ts';
import type { Answer, Origin } from '../upstream/endpoint.ts';
import type { Warning } from '../usage/operation.ts';
import type { Cached } from './cached.ts';
import type { Moment } from './requests.ts';

/** Answers filed by day: how they are cut into segments, laid over each other and put together. */

/** A record, the day it is filed under, and its place in the answer it came in. */
interface Entry<R> {
  day: Day;
  position: number;
  record: R;
}

/** Whether an answer's days came in ascending (1) or descending (-1) order; 0: cannot be told. */
export type Order = -1 | 0 | 1;

/**
 * Neighbouring days of one answer that expire together. A day without records is covered all the
 * same: it was asked for, and there is nothing.
 */
interface Segment<R> extends Span {
  /** When its answer came, and when it expires, as `Aging` counts time. */
  at: number;
  expiresAt: number;
  origin: Origin;
  warnings: readonly Warning[];
  order: Order;
  /** The average size of a record in the answer it came in. */
  bytesPerRecord: number;
  /** In the upstream's order. */
  entries: readonly Entry<R>[];
}

/** The coverage of a key: disjoint segments in ascending order of day. */
export type Segments<R> = readonly Segment<R>[];

/** What a dataset knows of its records' days. Durations count from `now`, which is wall time. */
export interface FilingRules<R> {
  dayOf(record: R): Day;
  /** How long a day is fresh, in milliseconds. */
  freshFor(day: Day, now: number): number;
  /** In how many milliseconds a record is likely to change, where that is known: its day expires then. */
  changesIn?(record: R, now: number): number;
  /** How many days the upstream's day of a record may differ from `dayOf`, as in another time zone; 0 by default. */
  zoneDays?: number;
}

type Filling<R> = Segment<R> & { entries: Entry<R>[] };

/**
 * Files an answer about `span` by day. An answer cut short covers only the days
 * that are sure to be complete. Records of days that were not asked for are left out: there may be
 * more of those days.
 */
export function segmentsOf<R>(
  answer: Answer<R>,
  span: Span,
  rules: FilingRules<R>,
  { now, aging }: Moment,
): Segments<R> {
  const entries = entriesOf(answer.records, span, rules);
  const { origin, warnings, records, bytes } = answer;
  const bytesPerRecord = bytes / Math.max(1, records.length);
  const order = orderOf(entries);
  const common = { at: aging, origin, warnings, order, bytesPerRecord };
  const { start, end } = answer.cutShort ? completeDays(span, entries, order) : span;
  /** The segment of each day, counted from `start`. */
  const segmentOf: Filling<R>[] = [];
  for (const [i, duration] of freshness({ start, end }, entries, now, rules).entries()) {
    const day = start + i;
    const expiresAt = aging + duration;
    let segment = segmentOf.at(-1);
    if (segment?.expiresAt === expiresAt) segment.end = day;
    else segment = { start: day, end: day, expiresAt, ...common, entries: [] };
    segmentOf.push(segment);
  }
  for (const entry of entries) segmentOf[entry.day - start]?.entries.push(entry);
  return [...new Set(segmentOf)];
}

function entriesOf<R>(
  records: readonly R[],
  { start, end }: Span,
  { dayOf, zoneDays = 0 }: FilingRules<R>,
): Entry<R>[] {
  const entries: Entry<R>[] = [];
  for (const [position, record] of records.entries()) {
    const own = dayOf(record);
    const day = Math.min(end, Math.max(start, own));
    if (Math.abs(day - own) <= zoneDays) entries.push({ day, position, record });
  }
  return entries;
}

/** How long each day is fresh. */
function freshness<R>(
  { start, end }: Span,
  entries: readonly Entry<R>[],
  now: number,
  { freshFor, changesIn }: FilingRules<R>,
): number[] {
  const days = Array.from({ length: end - start + 1 }, (_, i) => freshFor(start + i, now));
  if (!changesIn) return days;
  for (const { day, record } of entries) {
    const known = days[day - start];
    if (known !== undefined) days[day - start] = Math.min(known, changesIn(record, now));
  }
  return days;
}

function orderOf(entries: readonly Entry<unknown>[]): Order {
  const goes = (order: Order) =>
    entries.every(({ day }, i) => i === 0 || (day - entries[i - 1]!.day) * order >= 0);
  const isOneDay = entries[0]?.day === entries.at(-1)?.day;
  if (isOneDay) return 0;
  if (goes(1)) return 1;
  return goes(-1) ? -1 : 0;
}

/** The answer ends within the day of its last record, so that day and those after it may lack some. */
function completeDays(
  { start, end }: Span,
  entries: readonly Entry<unknown>[],
  order: Order,
): Span {
  const edge = entries.at(-1)?.day;
  if (edge === undefined || order === 0) return { start, end: start - 1 };
  return order === 1 ? { start, end: edge - 1 } : { start: edge + 1, end };
}

/** The segments with `added` laid over them: newer answers replace older ones day by day. */
export function overlay<R>(segments: Segments<R>, added: Segments<R>): Segments<R> {
  const first = added[0];
  const last = added.at(-1);
  if (!first || !last) return segments;
  const before = cut(segments, { start: -Infinity, end: first.start - 1 });
  const after = cut(segments, { start: last.end + 1, end: Infinity });
  return [...before, ...added, ...after];
}

/** The same where the segments may hold answers that came after `added`: those stay. */
export function overlayByAge<R>(segments: Segments<R>, added: Segments<R>): Segments<R> {
  const at = added[0]?.at ?? Infinity;
  const later = segments.filter((segment) => segment.at > at);
  return later.reduce<Segments<R>>((all, one) => overlay(all, [one]), overlay(segments, added));
}

/** The part of the segments that lies within `span`. */
export function cut<R>(segments: Segments<R>, span: Span): Segments<R> {
  return segments
    .filter(({ start, end }) => start <= span.end && end >= span.start)
    .map((segment) => {
      if (segment.start >= span.start && segment.end <= span.end) return segment;
      const start = Math.max(segment.start, span.start);
      const end = Math.min(segment.end, span.end);
      const entries = segment.entries.filter(({ day }) => day >= start && day <= end);
      return { ...segment, start, end, entries };
    });
}

/**
 * The records of several segments in the order the upstream would give them in. `usual` is the
 * order of the dataset's other answers: segments of one day each do not tell it.
 */
export function inUpstreamOrder<R>(segments: Segments<R>, usual: Order = 0): R[] {
  const entries = segments.flatMap((segment) => segment.entries);
  const isOneAnswer = segments.every(({ origin }) => origin === segments[0]?.origin);
  const order = segments.find((segment) => segment.order !== 0)?.order ?? usual;
  if (isOneAnswer) entries.sort((a, b) => a.position - b.position);
  else entries.sort((a, b) => (order === -1 ? b.day - a.day : a.day - b.day));
  return entries.map(({ record }) => record);
}

/** The records of some days in the upstream's order: as old as the oldest, fresh as the first to expire. */
export type Days<R> = Cached<readonly R[]>;

/** Segments that together cover some days, as one value. */
export function combine<R>(parts: Segments<R>, usual: Order) {
  const { at, expiresAt } = firstToExpire(parts);
  const oldest = parts.reduce((a, b) => (b.origin.retrievedAt < a.origin.retrievedAt ? b : a));
  return {
    value: inUpstreamOrder(parts, usual),
    origin: oldest.origin,
    at,
    expiresAt,
    warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))],
    stale: false,
  };
}
