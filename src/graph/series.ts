import { createContextCache } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { createFrequencies, type Frequencies, type Frequency } from '../cache/frequency.ts';
import { createLastValues, type DaysOrLast } from '../cache/last-values.ts';
import type { MaxReach } from '../cache/reach.ts';
import type { Days } from '../cache/segments.ts';
import type { Config } from '../config.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import { formatDay, parseDay } from '../time.ts';
import { type Answer, type Endpoint, mapRecords } from '../upstream/endpoint.ts';
import { badInput } from '../upstream/errors.ts';
import { lastCount, parseArguments, range, spanOf } from './arguments.ts';
import { type Context, type Gateway, perOperation, today, todayFor } from './context.ts';
import { defineDayRange, partsLoader } from './dataset.ts';
import { beginsIn, freshByAge, widened } from './freshness.ts';
import { lastOfSeries, type Point, type TimeSeriesShape, timeSeries } from './points.ts';
import { checkSamples } from './sampling.ts';
import { type CheckedArguments, checkedArguments } from './selection.ts';
import { createFrequencyReader } from './series-frequency.ts';

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

/** A day has one value. */
const POINTS = { shape: pointOf, keyOf: ({ day }: Point) => day };

/** The longest usual times without values, in days: holidays, or a year of a yearly series. */
const MAX_EMPTY_DAYS = { fx: 10, macro: 366 };

interface SeriesOptions {
  /** The dataset's name in warnings and logs, e.g. `fx history`. */
  name: string;
  meter: 'fx' | 'macro';
  /** Which time to live applies to its recent days. */
  ttl: keyof Config['ttl'];
  /** How many days before today a range begins by default; it ends today. */
  defaultDays: number;
  /** The path, with a name in braces in place of the key. */
  route: string;
  /** How often its series have a value, if that is the same for all. */
  usualFrequency?: Frequency;
}

/** A field with the arguments `start`, `end` and `last`, and a day range behind it. */
interface Series {
  /** The arguments of each selection of the field, `Type.field`, on the object that is being loaded. */
  selected(
    context: Context,
    info: GraphQLResolveInfo,
    typeName: string,
    fieldName: string,
  ): CheckedArguments;
  /**
   * Loads a series; `args` are the arguments of the field. All ranges of a key that one operation can ask for together
   * mostly cost one unit, and one more if `last` reaches further back than expected. Throws BAD_USER_INPUT.
   */
  load(key: string, args: unknown, context: Context): Maybe<TimeSeriesShape>;
  /** How often the series has a value; null until that is known. Costs nothing. */
  frequency(key: string, context: Context): Maybe<Frequency | null>;
}

/** How far back requests are widened, in days: most questions about a series lie within a year. */
const PREFETCH_DAYS = 366;

/** Size of one date and one number in an answer, in bytes. */
const BYTES_PER_VALUE = 64;

const seriesArguments = z.object({ ...range, last: lastCount });

function readArguments(args: unknown, context: Context, defaultDays: number): DaysOrLast {
  const { last, ...ends } = parseArguments(seriesArguments, args);
  const end = todayFor(context);
  if (typeof last !== 'number') return spanOf(ends, { start: end - defaultDays, end });
  if (typeof ends.start === 'number')
    throw badInput('last', 'cannot be combined with start: both say where the values begin');
  return { count: last, end: ends.end ?? end };
}

export function defineSeries(options: SeriesOptions): Series {
  const frequencies = createContextCache((_gateway: Gateway) => createFrequencies());
  /**
   * How far back a first request may reach, in days: up to `most`, as far as `widenMaxBytes` allows, or `minDays` if the
   * line is slow (the day range then widens it as time allows).
   */
  const maxReach =
    ({ client, settings }: Gateway): MaxReach =>
    (minDays, daysPerValue, most) => {
      const line = client.line({ group: 'A', name: options.name });
      const bytesPerDay = BYTES_PER_VALUE / daysPerValue;
      const farthest = Math.min(most, Math.floor(settings.widenMaxBytes / bytesPerDay));
      const isFast = line.maxBytes(minDays * bytesPerDay) >= farthest * bytesPerDay;
      return isFast ? Math.max(minDays, farthest) : minDays;
    };
  const days = defineSeriesDays(options, frequencies);
  const { name, meter, usualFrequency, defaultDays } = options;
  const answers = createContextCache((gateway: Gateway) =>
    createLastValues(days.cache(gateway), {
      name,
      meter,
      usualFrequency,
      frequencies: frequencies(gateway),
      maxReach: maxReach(gateway),
      today: () => today(gateway),
    }),
  );
  const loadPart = partsLoader<string, DaysOrLast, Days<Point>>(answers, nameOf);
  const loading = perOperation((_context: Context) => new Map<string, Set<unknown>>());
  return {
    selected: (context, info, typeName, fieldName) =>
      checkedArguments(info, typeName, fieldName, (args, below) => {
        readArguments(args, context, defaultDays);
        checkSamples(below);
      }),
    load(key, args, context) {
      const part = readArguments(args, context, defaultDays);
      const found = loadPart(key, part, context);
      const all = loading(context);
      all.set(key, (all.get(key) ?? new Set()).add(found));
      return whenReady(found, (points) =>
        'start' in part ? timeSeries(part, points) : lastOfSeries(part, points),
      );
    },
    frequency: createFrequencyReader({ days, frequencies, loading }),
  };
}

/** The path segments of a route, with the key in its place. */
function pathTo(key: string, route: string): string[] {
  const segments = route.split('/').slice(1);
  return segments.map((segment) => (segment.startsWith('{') ? key : segment));
}

function nameOf(part: DaysOrLast): string {
  const from = 'start' in part ? formatDay(part.start) : `last ${part.count}`;
  return `${from} ${formatDay(part.end)}`;
}

function defineSeriesDays(
  { name, meter, ttl, route }: SeriesOptions,
  frequencies: (gateway: Gateway) => Frequencies,
) {
  const endpoint: Endpoint<HistoryPoint> = {
    name,
    route,
    source: meter,
    group: 'A',
    meter,
    label: 'date',
    emptyOn404: true,
    record: z.compile(historyPoint),
  };
  return defineDayRange((gateway: Gateway) => ({
    name,
    endpoint,
    bytesPerDay: BYTES_PER_VALUE,
    keyOf: (key: string) => key,
    parseKey: (text) => text,
    dayOf: ({ day }: Point) => day,
    comesLate: meter === 'macro',
    maxEmptyDays: () => MAX_EMPTY_DAYS[meter],
    freshFor: freshByAge(gateway, gateway.settings.ttl[ttl]),
    beginsIn: beginsIn(gateway),
    onFiled: (id, all) => frequencies(gateway).note(id, all),
    prefetch: (_key, asked) => widened(asked, today(gateway), { back: PREFETCH_DAYS }),
    target: (key, { start, end }) => ({
      path: pathTo(key, route),
      query: { start: formatDay(start), end: formatDay(end) },
    }),
    read: (answer): Answer<Point> => mapRecords(endpoint, answer, POINTS),
  }));
}
