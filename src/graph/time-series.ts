import { formatDay } from '../time.ts';
import { builder } from './builder.ts';
import { Candle, candlesOf } from './candles.ts';
import type { Period as PeriodName } from './periods.ts';
import {
  changeOf,
  changePercentOf,
  highest,
  lowest,
  meanValueOf,
  type Point,
  type TimeSeriesShape,
} from './points.ts';
import { Provenance } from './provenance.ts';
import { samplesOf, type Take as TakeName } from './sampling.ts';

/** The GraphQL type TimeSeries (spec section 2.2). */

const HistoryPoint = builder.objectRef<Point>('HistoryPoint').implement({
  description: 'The value of one day.',
  fields: (t) => ({
    date: t.field({ type: 'Date', description: 'The day.', resolve: ({ date }) => date }),
    value: t.exposeFloat('value', { description: 'The value, in the unit of its series.' }),
  }),
});

const Period = builder.enumType('Period', {
  description: 'A calendar period.',
  values: {
    DAY: { description: 'A day.' },
    WEEK: { description: 'From Monday to Sunday.' },
    MONTH: { description: 'A calendar month.' },
    QUARTER: { description: 'Three months, from the first of January, April, July or October.' },
    YEAR: { description: 'A calendar year.' },
  } satisfies Record<PeriodName, object>,
});

const Take = builder.enumType('Take', {
  description: 'Which value stands for a period.',
  values: {
    FIRST: { description: 'The first value.' },
    LAST: { description: 'The last value.' },
    MEAN: { description: 'The arithmetic mean of the values.' },
    MIN: { description: 'The lowest value.' },
    MAX: { description: 'The highest value.' },
  } satisfies Record<TakeName, object>,
});

export const TimeSeries = builder.objectRef<TimeSeriesShape>('TimeSeries').implement({
  description: 'Values by day, from start to end, both included.',
  fields: (t) => ({
    start: t.field({
      type: 'Date',
      description:
        'The first day asked for; with `last`, that of the first value, or `end` if there is none.',
      resolve: ({ span }) => formatDay(span.start),
    }),
    end: t.field({
      type: 'Date',
      description: 'The last day asked for.',
      resolve: ({ span }) => formatDay(span.end),
    }),
    points: t.field({
      type: [HistoryPoint],
      description:
        'In ascending order of date; days without a value are left out. Fewer points are computed from the same values, at no further cost.',
      args: {
        every: t.arg({
          type: Period,
          defaultValue: 'DAY',
          description:
            'One point for each period that has values, dated by the last of them. DAY: all values, as they are.',
        }),
        take: t.arg({
          type: Take,
          defaultValue: 'LAST',
          description: 'Which value stands for a period of several days.',
        }),
        maxPoints: t.arg.int({
          description:
            'At most this many points, chosen so that a line through them keeps its shape (largest triangle, three buckets); the first and the last point are kept, and 1 returns the last. At least 1.',
        }),
      },
      // At most one for each day that is asked for (documents/limits.ts).
      extensions: { listLength: 'given' },
      resolve: ({ points }, args) => samplesOf(points, args),
    }),
    candles: t.field({
      type: [Candle],
      description:
        'Open, high, low and close of the values in each calendar period that has any; weeks begin on Monday. Computed from the same values, at no further cost.',
      args: {
        every: t.arg({
          type: Period,
          required: true,
          defaultValue: 'WEEK',
          description: 'Length of the periods.',
        }),
      },
      extensions: { listLength: 'given' },
      resolve: ({ points, span }, { every }) => candlesOf(points, span, every),
    }),
    latest: t.field({
      type: HistoryPoint,
      nullable: true,
      description: 'The last point; null if there is none.',
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
      resolve: ({ points }) => changeOf(points),
    }),
    changePercent: t.float({
      nullable: true,
      description:
        'The change in percent of the first value. It has two decimals fewer than the first value has digits (counted with as many decimals as the last value), and at least two: 3272.97 has six digits, hence 28.7919. Null with fewer than two points, and if the first value is 0.',
      resolve: ({ points }) => changePercentOf(points),
    }),
    mean: t.float({
      nullable: true,
      description:
        'The arithmetic mean of the values; null if there is none. Computed from the same values, at no further cost.',
      resolve: ({ points }) => meanValueOf(points),
    }),
    provenance: t.field({
      type: Provenance,
      description: 'Where the values come from and how old the oldest of them is.',
      resolve: ({ provenance }) => provenance,
    }),
  }),
});
