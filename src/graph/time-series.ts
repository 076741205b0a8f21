import type { Cached } from '../cache/cached.ts';
import { formatDay, type Day, type Span } from '../time.ts';
import { builder } from './builder.ts';
import { difference, percentChange } from './decimals.ts';
import { Provenance } from './provenance.ts';

/** The GraphQL type TimeSeries and what is computed from its points (spec section 2.2). */

export interface Point {
  day: Day;
  date: string;
  value: number;
}

export interface TimeSeriesShape {
  span: Span;
  /** In ascending order of day. */
  points: readonly Point[];
  provenance: Cached<unknown>;
}

/** Many fields of an operation may ask for the same days: what is made of them is made once. */
const sorted = once((points: readonly Point[]) => points.toSorted((a, b) => a.day - b.day));

function once<T extends object, R>(make: (from: T) => R): (from: T) => R {
  const made = new WeakMap<T, { value: R }>();
  return (from) => {
    const known = made.get(from) ?? { value: make(from) };
    made.set(from, known);
    return known.value;
  };
}

/** A series over a span of days; the upstream may give its points in any order. */
export function timeSeries(span: Span, held: Cached<readonly Point[]>): TimeSeriesShape {
  return { span, points: sorted(held.value), provenance: held };
}

const HistoryPoint = builder.objectRef<Point>('HistoryPoint').implement({
  description: 'The value of one day.',
  fields: (t) => ({
    date: t.field({ type: 'Date', description: 'The day.', resolve: ({ date }) => date }),
    value: t.exposeFloat('value', { description: 'The value, in the unit of its series.' }),
  }),
});

const lowest = once((points: readonly Point[]) =>
  points.reduce<Point | null>((a, b) => (a === null || b.value < a.value ? b : a), null),
);
const highest = once((points: readonly Point[]) =>
  points.reduce<Point | null>((a, b) => (a === null || b.value > a.value ? b : a), null),
);

/** The first and the last value; undefined with fewer than two points. */
function ends(points: readonly Point[]): { first: number; last: number } | undefined {
  const [first, last] = [points[0], points.at(-1)];
  return first && last && points.length > 1 ? { first: first.value, last: last.value } : undefined;
}

function changeOf({ points }: TimeSeriesShape): number | null {
  const found = ends(points);
  return found ? difference(found.first, found.last) : null;
}

function changePercentOf({ points }: TimeSeriesShape): number | null {
  const found = ends(points);
  return found && found.first !== 0 ? percentChange(found.first, found.last) : null;
}

export const TimeSeries = builder.objectRef<TimeSeriesShape>('TimeSeries').implement({
  description: 'Values by day, from start to end, both included.',
  fields: (t) => ({
    start: t.field({
      type: 'Date',
      description: 'The first day asked for.',
      resolve: ({ span }) => formatDay(span.start),
    }),
    end: t.field({
      type: 'Date',
      description: 'The last day asked for.',
      resolve: ({ span }) => formatDay(span.end),
    }),
    points: t.field({
      type: [HistoryPoint],
      description: 'In ascending order of date; days without a value are left out.',
      // One for each day that the series is asked for (documents/limits.ts).
      extensions: { listLength: 'given' },
      resolve: ({ points }) => points,
    }),
    latest: t.field({
      type: HistoryPoint,
      nullable: true,
      description: 'The last point; null where there is none.',
      resolve: ({ points }) => points.at(-1) ?? null,
    }),
    min: t.field({
      type: HistoryPoint,
      nullable: true,
      description: 'The first point with the lowest value.',
      resolve: ({ points }) => lowest(points),
    }),
    max: t.field({
      type: HistoryPoint,
      nullable: true,
      description: 'The first point with the highest value.',
      resolve: ({ points }) => highest(points),
    }),
    change: t.float({
      nullable: true,
      description:
        'Last value minus first value, with as many decimals as they have; null with fewer than two points.',
      resolve: changeOf,
    }),
    changePercent: t.float({
      nullable: true,
      description:
        'The change in percent of the first value, with two decimals fewer than that has digits, but at least two; null with fewer than two points, and where the first value is 0.',
      resolve: changePercentOf,
    }),
    provenance: t.field({
      type: Provenance,
      description: 'Where the values come from and how old the oldest of them is.',
      resolve: ({ provenance }) => provenance,
    }),
  }),
});
