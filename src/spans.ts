import type { Span } from './time.ts';

/** Arithmetic on ranges of days. */

export const lengthOf = ({ start, end }: Span): number => end - start + 1;

export const isSame = (a: Span, b: Span): boolean => a.start === b.start && a.end === b.end;

export const overlap = (a: Span, b: Span): boolean => a.start <= b.end && a.end >= b.start;

export const contains = (outer: Span, inner: Span): boolean =>
  outer.start <= inner.start && outer.end >= inner.end;

/** The range from the first day of disjoint, ascending spans to the last; undefined if there are none. */
export function hullOf(spans: readonly Span[]): Span | undefined {
  const [first, last] = [spans[0], spans.at(-1)];
  return first && last && { start: first.start, end: last.end };
}

/** Merges overlapping and adjacent spans; the result is in ascending order. */
export function union(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && span.start <= last.end + 1) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

/** The parts of `wanted` that are not in `covered`, whose spans are disjoint and ascending. */
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
