import { contains, hullOf, lengthOf, overlap, subtract, union } from '../spans.ts';
import type { Span } from '../time.ts';

/** Which days requests ask for: the fewest requests for all missing days. */

/** Longest range a client may ask for, and longest one that is requested upstream, in days. */
export const MAX_DAYS = 36_600;
/** Maximum number of last values of a series that a client may ask for, as far as they lie within MAX_DAYS. */
export const MAX_LAST = 10_000;

/** Returns one span over both; undefined if it is longer than `maxDays` or overlaps days that are `busy`. */
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
 * A request widened toward `target`, the days likely to be asked for next, up to `maxDays` and never into days that are
 * `busy` (asked for by other requests). If there is room, it is widened to all days that are not `covered`, and to what
 * lies between them. Otherwise only up to the nearest covered days, in the direction in which fewer are missing first: a
 * gap that is closed needs no further request.
 */
export function widen(
  request: Span,
  target: Span,
  { covered, busy }: { covered: readonly Span[]; busy: readonly Span[] },
  maxDays: number,
): Span {
  const around = (spans: readonly Span[]) =>
    union([...spans, request]).find((span) => contains(span, request)) ?? request;
  const free = around(subtract([around([target])], busy));
  const open = union([...subtract([free], covered), request]);
  const all = hullOf(open) ?? request;
  if (lengthOf(all) <= maxDays) return all;
  const gap = around(open);
  const [before, after] = [request.start - gap.start, gap.end - request.end];
  const room = Math.max(0, maxDays - lengthOf(request));
  const earlier = Math.min(before, before < after ? room : Math.max(0, room - after));
  return { start: request.start - earlier, end: request.end + Math.min(after, room - earlier) };
}
