import type { Span } from '../time.ts';
import { gaps } from './segments.ts';

export const lengthOf = ({ start, end }: Span): number => end - start + 1;

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

/** The days of `spans` that `covered` leaves out. */
export function subtract(spans: readonly Span[], covered: readonly Span[]): Span[] {
  const disjoint = union(covered);
  return union(spans).flatMap((span) => gaps(disjoint, span));
}

/**
 * The fewest requests that cover all days of `missing`: several gaps go out as one span, since a
 * wider span costs the same unit, up to `maxDays`. A gap longer than that goes out alone: it is never
 * cut, and never more requests are sent than there are gaps. Days of `busy` are on their way.
 */
export function planRequests(
  missing: readonly Span[],
  busy: readonly Span[],
  maxDays: number,
): Span[] {
  const requests: Span[] = [];
  for (const gap of subtract(missing, busy)) {
    const last = requests.at(-1);
    const both = last && { start: last.start, end: gap.end };
    const isFree = both && subtract([both], busy).length === 1;
    if (isFree && lengthOf(both) <= maxDays) last.end = gap.end;
    else requests.push({ ...gap });
  }
  return requests;
}

/**
 * The request grown towards `wish`, the days likely to be asked next: to later days first, then to
 * earlier ones, up to `maxDays`. It grows only as far as that brings days which are not `covered`,
 * and never touches days that are `taken` by other requests.
 */
export function widen(
  request: Span,
  wish: Span,
  { covered, taken }: { covered: readonly Span[]; taken: readonly Span[] },
  maxDays: number,
): Span {
  const reach = union([wish, request]).find((span) => contains(span, request)) ?? request;
  const free = subtract([reach], taken).find((span) => contains(span, request)) ?? request;
  const open = subtract([free], covered);
  const last = open.at(-1)?.end ?? request.end;
  const end = Math.max(request.end, Math.min(last, request.start + maxDays - 1));
  const first = open[0]?.start ?? request.start;
  const start = Math.min(request.start, Math.max(first, end - maxDays + 1));
  return { start, end };
}

export const overlap = (a: Span, b: Span): boolean => a.start <= b.end && a.end >= b.start;

export const contains = (outer: Span, inner: Span): boolean =>
  outer.start <= inner.start && outer.end >= inner.end;

/** One span over both, unless that is too long or touches days that are `taken`. */
export function together(
  a: Span,
  b: Span,
  taken: readonly Span[],
  maxDays: number,
): Span | undefined {
  const both = { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
  const isFree = lengthOf(both) <= maxDays && !taken.some((span) => overlap(span, both));
  return isFree ? both : undefined;
}
