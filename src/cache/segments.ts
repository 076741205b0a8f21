import type { Day, Span } from '../time.ts';
import type { Origin } from '../upstream/endpoint.ts';
import type { Warning } from '../usage/operation.ts';

/** A record, the day it belongs to, and its place in the answer it came in. */
export interface Entry<R> {
  day: Day;
  position: number;
  record: R;
}

/** Whether an answer's days came in ascending (1) or descending (-1) order; 0: cannot be told. */
export type Order = -1 | 0 | 1;

/**
 * Days that were asked and answered together and expire together. A day without records is covered
 * all the same: what is known of a day is that it was asked, not that something was found.
 */
export interface Segment<R> extends Span {
  /** Milliseconds since 1970. */
  expiresAt: number;
  origin: Origin;
  warnings: readonly Warning[];
  order: Order;
  /** What a record weighed in the answer it came in. */
  bytesPerRecord: number;
  /** In the upstream's order. */
  entries: readonly Entry<R>[];
}

/** Coverage of a key: disjoint segments in ascending order of day. */
export type Segments<R> = readonly Segment<R>[];

/** The segments with `added` laid over them: newer answers replace older ones day by day. */
export function overlay<R>(segments: Segments<R>, added: Segments<R>): Segments<R> {
  const first = added[0];
  const last = added.at(-1);
  if (!first || !last) return segments;
  const before = cut(segments, { start: -Infinity, end: first.start - 1 });
  const after = cut(segments, { start: last.end + 1, end: Infinity });
  return [...before, ...added, ...after];
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

/** The parts of `wanted` that the spans, disjoint and ascending, leave out. */
export function gaps(spans: readonly Span[], wanted: Span): Span[] {
  const found: Span[] = [];
  let next = wanted.start;
  for (const { start, end } of spans) {
    if (end < next) continue;
    if (start > wanted.end) break;
    if (start > next) found.push({ start: next, end: start - 1 });
    next = end + 1;
  }
  if (next <= wanted.end) found.push({ start: next, end: wanted.end });
  return found;
}

/**
 * Records of several segments in the order the upstream would give them in; `usual` is the order of
 * the dataset's other answers, for parts that are of one day each.
 */
export function inUpstreamOrder<R>(segments: Segments<R>, usual: Order = 0): R[] {
  const entries = segments.flatMap((segment) => segment.entries);
  const isOneAnswer = segments.every(({ origin }) => origin === segments[0]?.origin);
  const order = segments.find((segment) => segment.order !== 0)?.order ?? usual;
  if (isOneAnswer) entries.sort((a, b) => a.position - b.position);
  else entries.sort((a, b) => (order === -1 ? b.day - a.day : a.day - b.day));
  return entries.map(({ record }) => record);
}
