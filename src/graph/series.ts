import { z } from 'zod';
import type { Config } from '../config.ts';
import { formatDay, parseDay, type Span } from '../time.ts';
import { type Answer, type Endpoint, mapRecords, type Target } from '../upstream/endpoint.ts';
import type { Meter } from '../meters.ts';
import { parseArguments, range, spanOf } from './arguments.ts';
import { type Context, type Gateway, today, todayFor } from './context.ts';
import { defineDayRange } from './dataset.ts';
import { freshByAge } from './freshness.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import { lastOfSeries, type Point, type TimeSeriesShape, timeSeries } from './points.ts';

/** Numbers by day under a key: FX history by pair, macro observations by code (spec section 4.1). */

/** HistoryPoint of spec section 2.2: `date` and `value`. */
const historyPoint = z.object({
  date: z.string().refine((text) => dayOf(text) !== undefined, 'not a date'),
  value: z.number(),
});

type HistoryPoint = z.infer<typeof historyPoint>;

const dayOf = (date: string) => parseDay(date.slice(0, 10));

function pointOf({ date, value }: HistoryPoint): Point {
  return { day: dayOf(date) ?? 0, date: date.slice(0, 10), value };
}

export interface SeriesOptions {
  /** The dataset's name in warnings and logs, e.g. `fx history`. */
  name: string;
  meter: Meter & ('fx' | 'macro');
  /** Which time to live its recent days have. */
  ttl: keyof Config['ttl'];
  /** How many days before today a range begins by default; it ends today. */
  defaultDays: number;
  path(key: string): Target['path'];
}

/** A field with the arguments `start` and `end`, and a day range behind it. */
export interface Series {
  /** The days that the arguments ask for. Throws BAD_USER_INPUT. */
  spanOf(args: unknown, context: Context): Span;
  /** One unit at most for all ranges of a key in an operation. Throws BAD_USER_INPUT. */
  load(key: string, args: unknown, context: Context): Maybe<TimeSeriesShape>;
}

/** Requests are widened to a year: questions about a series mostly lie within it. */
const PREFETCH_DAYS = 366;

/** One date and one number. */
const BYTES_PER_DAY = 64;

const rangeArguments = z.object(range);

export function defineSeries(options: SeriesOptions): Series {
  const days = defineSeriesDays(options);
  function spanOfArguments(args: unknown, context: Context): Span {
    const end = todayFor(context);
    const defaults = { start: end - options.defaultDays, end };
    return spanOf(parseArguments(rangeArguments, args), defaults);
  }
  return {
    spanOf: spanOfArguments,
    load(key, args, context) {
      const span = spanOfArguments(args, context);
      return whenReady(days.load(key, span, context), (points) => timeSeries(span, points));
    },
  };
}

function defineSeriesDays({ name, meter, ttl, path }: SeriesOptions) {
  const record = z.compile(historyPoint);
  const about = {
    name,
    source: meter,
    group: 'A',
    meter,
    label: 'date',
    emptyOn404: true,
  } as const;
  const endpoint: Endpoint<HistoryPoint> = { ...about, record };
  return defineDayRange((gateway: Gateway) => ({
    name,
    endpoint,
    bytesPerDay: BYTES_PER_DAY,
    keyOf: (key: string) => key,
    keyIn: (text) => text,
    dayOf: ({ day }: Point) => day,
    freshFor: freshByAge(gateway, gateway.settings.ttl[ttl]),
    prefetch: (_key, asked) => ({
      start: Math.min(today(gateway) - PREFETCH_DAYS, asked.start),
      end: today(gateway),
    }),
    target: (key, { start, end }) => ({
      path: path(key),
      query: { start: formatDay(start), end: formatDay(end) },
    }),
    read: (answer): Answer<Point> => mapRecords(endpoint, answer, pointOf),
  }));
}
