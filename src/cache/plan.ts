import { contains, lengthOf, overlap, subtract, union } from '../spans.ts';
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
 * A request widened toward `target`, the days likely to be asked for next: to later days first, then to earlier ones,
 * up to `maxDays`. It is widened only as far as that brings days that are not `covered`, and never into days that are
 * `busy` (asked for by other requests).
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
