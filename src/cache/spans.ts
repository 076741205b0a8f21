import type { Span } from '../time.ts';

/** Arithmetic on ranges of days, and from it the plan of the fewest requests. */

/** A range that somebody asks for, and a request to the upstream, is at most so long. */
export const MAX_DAYS = 36_600;
/** So many of the last values of a series can be asked for, as far as they lie within MAX_DAYS. */
export const MAX_LAST = 10_000;

export const lengthOf = ({ start, end }: Span): number => end - start + 1;

export const isSame = (a: Span, b: Span): boolean => a.start === b.start && a.end === b.end;

export const overlap = (a: Span, b: Span): boolean => a.start <= b.end && a.end >= b.start;

export const contains = (outer: Span, inner: Span): boolean =>
  outer.start <= inner.start && outer.end >= inner.end;

/** From the first day of disjoint, ascending spans to the last; undefined where there are none. */
export function hullOf(spans: readonly Span[]): Span | undefined {
  const [first, last] = [spans[0], spans.at(-1)];
  return first && last && { start: first.start, end: last.end };
}

/** Overlapping and adjacent spans as one, in ascending order. */
export function union(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && span.start <= last.end + 1) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

/** The parts of `wanted` that `covered` leaves out; `covered` is disjoint and ascending. */
export function gaps(covered: readonly Span[], wanted: Span): Span[] {
  const found: Span[] = [];
  let next = wanted.start;
  for (const { start, end } of covered) {
    if (end < next) continue;
    if (start > wanted.end) break;
    if (start > next) found.push({ start: next, end: start - 1 });
    next = end + 1;
  }
  if (next <= wanted.end) found.push({ start: next, end: wanted.end });
  return found;
}

/** The days of `spans` that are not in `removed`. */
export function subtract(spans: readonly Span[], removed: readonly Span[]): Span[] {
  const disjoint = union(removed);
  return union(spans).flatMap((span) => gaps(disjoint, span));
}

/** The days of `span` that are in any of `spans`. */
export function intersect(spans: readonly Span[], span: Span): Span[] {
  return subtract([span], subtract([span], spans));
}

/** One span over both, unless it is longer than `maxDays` or touches days that are `busy`. */
export function merge(a: Span, b: Span, busy: readonly Span[], maxDays: number): Span | undefined {
  const both = { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
  const isFree = lengthOf(both) <= maxDays && !busy.some((span) => overlap(span, both));
  return isFree ? both : undefined;
}

/**
 * The fewest requests for all days that are `missing` and not `busy` (asked for by requests in
 * flight). A longer span costs the same unit, so several gaps go out as one span of up to
 * `maxDays`. A single gap is never split, however long: there are never more requests than gaps.
 */
export function planRequests(
  missing: readonly Span[],
  busy: readonly Span[],
  maxDays: number,
): Span[] {
  const requests: Span[] = [];
  for (const gap of subtract(missing, busy)) {
    const last = requests.at(-1);
    const both = last && merge(last, gap, busy, maxDays);
    if (last && both) last.end = both.end;
    else requests.push({ ...gap });
  }
  return requests;
}

/**
 * A request widened towards `target`, the days likely to be asked for next: to later days first,
 * then to earlier ones, up to `maxDays`. It is widened only as far as that brings days that are not
 * `covered`, and never into days that are `busy` (asked for by other requests).
 */
export function widen(
  request: Span,
  target: Span,
  { covered, busy }: { covered: readonly Span[]; busy: readonly Span[] },
  maxDays: number,
): Span {
  const reach = union([target, request]).find((span) => contains(span, request)) ?? request;
  const free = subtract([reach], busy).find((span) => contains(span, request)) ?? request;
  const open = subtract([free], covered);
  const last = open.at(-1)?.end ?? request.end;
  const end = Math.max(request.end, Math.min(last, request.start + maxDays - 1));
  const first = open[0]?.start ?? request.start;
  const start = Math.min(request.start, Math.max(first, end - maxDays + 1));
  return { start, end };
}
