import type { GraphQLResolveInfo } from 'graphql';
import { badInput } from '../upstream/errors.ts';
import { byPeriod, type Period } from './periods.ts';
import { highest, lowest, meanValueOf, type Point } from './points.ts';
import { checkBelow } from './selection.ts';

/** Reduces the number of points: to one per period, or to as many as a chart has room for. */

export type Take = 'FIRST' | 'LAST' | 'MEAN' | 'MIN' | 'MAX';

/** What the values of a period become; there is at least one. */
const TAKEN: Record<Take, (points: readonly Point[]) => number | undefined> = {
  FIRST: (points) => points[0]?.value,
  LAST: (points) => points.at(-1)?.value,
  MEAN: (points) => meanValueOf(points) ?? undefined,
  MIN: (points) => lowest(points)?.value,
  MAX: (points) => highest(points)?.value,
};

/** One point for each period that has values, dated by the last of them. */
function pointsByPeriod(points: readonly Point[], every: Period, take: Take): Point[] {
  return byPeriod(points, every).map(({ items }) => {
    const last = items.at(-1) ?? items[0];
    return { ...last, value: TAKEN[take](items) ?? last.value };
  });
}

/** The arguments of `TimeSeries.points`. */
interface PointsArguments {
  every?: Period | null | undefined;
  take?: Take | null | undefined;
  maxPoints?: number | null | undefined;
}

/** The points that the arguments ask for. Throws BAD_USER_INPUT. */
export function samplesOf(points: readonly Point[], args: PointsArguments): readonly Point[] {
  const { take, maxPoints } = args;
  const every = args.every ?? 'DAY';
  const all = every === 'DAY' ? points : pointsByPeriod(points, every, take ?? 'LAST');
  if (typeof maxPoints !== 'number') return all;
  checkMaxPoints(maxPoints);
  return largestTriangles(all, maxPoints);
}

function checkMaxPoints(maxPoints: unknown): void {
  if (typeof maxPoints === 'number' && maxPoints < 1)
    throw badInput('maxPoints', 'must be at least 1');
}

/**
 * Checks what is selected below a field of type TimeSeries before its values are asked for: if one selection of
 * `points` or `candles` is wrong, nothing of the series is served, since they are never null. Throws BAD_USER_INPUT, or
 * GraphQL's error about an argument that must not be null.
 */
export function checkSamples(info: GraphQLResolveInfo): void {
  for (const fieldName of ['points', 'candles'])
    checkBelow(info, 'TimeSeries', fieldName, ({ maxPoints }) => checkMaxPoints(maxPoints));
}

/**
 * At most `count` of the points, chosen so that a line through them keeps the shape of the line through all:
 * from each of `count` - 2 buckets, the point that makes the largest triangle with the point chosen before
 * and the mean of the next bucket (LTTB, Steinarsson 2013). The first and the last point are always included;
 * if `count` is 1, only the last.
 */
function largestTriangles(points: readonly Point[], count: number): readonly Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length <= count || !first || !last) return points;
  if (count < 3) return count === 1 ? [last] : [first, last];
  const size = (points.length - 2) / (count - 2);
  const startOf = (bucket: number) => Math.min(points.length - 1, Math.floor(bucket * size) + 1);
  const chosen = [first];
  for (let bucket = 0; bucket < count - 2; bucket += 1) {
    const next = startOf(bucket + 1);
    const behind = points.slice(next, Math.max(startOf(bucket + 2), next + 1));
    const candidates = points.slice(startOf(bucket), next);
    chosen.push(farthest(candidates, chosen.at(-1) ?? first, centerOf(behind)));
  }
  return [...chosen, last];
}

type Coordinates = Pick<Point, 'day' | 'value'>;

function centerOf(points: readonly Point[]): Coordinates {
  const sum = { day: 0, value: 0 };
  for (const { day, value } of points) {
    sum.day += day;
    sum.value += value;
  }
  return { day: sum.day / points.length, value: sum.value / points.length };
}

/** The candidate that makes the largest triangle with `a` and `b`; among equals the first. */
function farthest(candidates: readonly Point[], a: Coordinates, b: Coordinates): Point {
  const areaWith = ({ day, value }: Point) =>
    Math.abs((a.day - b.day) * (value - a.value) - (a.day - day) * (b.value - a.value));
  return candidates.reduce((best, point) => (areaWith(point) > areaWith(best) ? point : best));
}
