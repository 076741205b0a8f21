import { createContextCache } from '@pothos/core';
import type { Cached } from '../cache/cached.ts';
import { onDemand } from '../cache/on-demand.ts';
import type { Day, Span } from '../time.ts';
import { difference, meanOf, percentChange } from './decimals.ts';

/** The values of a time series, and what is computed from all of them. */

export interface Point {
  day: Day;
  /** The same day as text. */
  date: string;
  value: number;
}

export interface TimeSeriesShape {
  span: Span;
  /** In ascending order of day. */
  points: readonly Point[];
  provenance: Cached<unknown>;
}

// `createContextCache` makes each result once for each list: many fields of an operation may ask for the same days.

const ascending = createContextCache((points: readonly Point[]) =>
  points.toSorted((a, b) => a.day - b.day),
);

/**
 * Lists that are sorted already, as most are, stay out of the WeakMap: an entry whose value
 * is its own key would live long.
 */
const sorted = (points: readonly Point[]) => (isAscending(points) ? points : ascending(points));

function isAscending(points: readonly Point[]): boolean {
  for (let i = 1; i < points.length; i += 1) if (points[i]!.day < points[i - 1]!.day) return false;
  return true;
}

/** A series over a span of days; the upstream may give its points in any order. */
export function timeSeries(span: Span, held: Cached<readonly Point[]>): TimeSeriesShape {
  const points = onDemand(() => sorted(held.value));
  return {
    span,
    get points() {
      return points();
    },
    provenance: held,
  };
}

/** The last `count` values up to `end`, as a series that begins on the day of the first of them. */
export function lastOfSeries(
  { count, end }: { count: number; end: Day },
  held: Cached<readonly Point[]>,
): TimeSeriesShape {
  const points = sorted(held.value).slice(-count);
  return { span: { start: points[0]?.day ?? end, end }, points, provenance: held };
}

export const lowest = createContextCache((points: readonly Point[]) =>
  points.reduce<Point | null>((a, b) => (a === null || b.value < a.value ? b : a), null),
);
export const highest = createContextCache((points: readonly Point[]) =>
  points.reduce<Point | null>((a, b) => (a === null || b.value > a.value ? b : a), null),
);

/** The first and the last value; undefined with fewer than two points. */
function ends(points: readonly Point[]): { first: number; last: number } | undefined {
  const [first, last] = [points[0], points.at(-1)];
  return first && last && points.length > 1 ? { first: first.value, last: last.value } : undefined;
}

export function changeOf(points: readonly Point[]): number | null {
  const found = ends(points);
  return found ? difference(found.first, found.last) : null;
}

export function changePercentOf(points: readonly Point[]): number | null {
  const found = ends(points);
  return found && found.first !== 0 ? percentChange(found.first, found.last) : null;
}

export const meanValueOf = createContextCache((points: readonly Point[]) =>
  points.length > 0 ? meanOf(points.map(({ value }) => value)) : null,
);
