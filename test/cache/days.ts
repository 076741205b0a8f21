import * as fc from 'fast-check';
import type { Span } from '../../src/time.ts';
import type { Origin } from '../../src/upstream/endpoint.ts';

/** Days as plain sets, to check span arithmetic against; the range is small, so that spans often meet. */

export const LAST_DAY = 40;

export const span: fc.Arbitrary<Span> = fc
  .tuple(fc.nat(LAST_DAY), fc.nat(12))
  .map(([start, more]) => ({ start, end: Math.min(LAST_DAY, start + more) }));

export const spans = fc.array(span, { maxLength: 6 });

export const maxDays = fc.integer({ min: 1, max: LAST_DAY + 5 });

export function daysOf(all: readonly Span[]): Set<number> {
  const days = new Set<number>();
  for (const { start, end } of all) for (let day = start; day <= end; day += 1) days.add(day);
  return days;
}

/** Returns the days as spans that neither overlap nor touch. */
export function runsOf(days: ReadonlySet<number>): Span[] {
  const runs: Span[] = [];
  for (const day of [...days].toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.end === day - 1) last.end = day;
    else runs.push({ start: day, end: day });
  }
  return runs;
}

export const countOf = (all: readonly Span[]) =>
  all.reduce((sum, { start, end }) => sum + end - start + 1, 0);

/**
 * Returns the minimum number of spans that cover all gaps: each covers whole gaps, and may be too long only for a
 * single one.
 */
export function fewest(
  gaps: readonly Span[],
  inFlight: ReadonlySet<number>,
  longest: number,
): number {
  const best = [0];
  for (let end = 1; end <= gaps.length; end += 1) {
    const counts = gaps.slice(0, end).flatMap((gap, first) => {
      const enclosing = { start: gap.start, end: gaps[end - 1]!.end };
      const isOne = first === end - 1;
      const isFree =
        daysOf([enclosing]).isDisjointFrom(inFlight) && countOf([enclosing]) <= longest;
      return isOne || isFree ? [best[first]! + 1] : [];
    });
    best.push(Math.min(...counts));
  }
  return best.at(-1)!;
}

export function originAt(retrievedAt: number): Origin {
  const asOf = new Date(retrievedAt).toISOString();
  const stated = { license: null, upstreamCached: null, timezone: null, timestamp: null };
  return { source: 'test', asOf, retrievedAt, ...stated };
}
