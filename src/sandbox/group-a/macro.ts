import { ANCHOR_DAY } from '../lists/currencies.ts';
import { MACRO_SERIES, type MacroSeries } from '../lists/macro-series.ts';
import type { EndpointRequest } from '../endpoint.ts';
import { memoize } from '../memo.ts';
import { readRange, readText } from '../parameters.ts';
import { round, streamOf, walk } from '../random.ts';
import { ApiError } from '../errors.ts';
import {
  businessDayUpTo,
  daysWhere,
  firstDayOf,
  formatDay,
  instantOf,
  isBusinessDay,
  monthOf,
  parseDay,
  weekdayOf,
} from '../time.ts';
import { envelope, type HistoryPoint } from './envelope.ts';
import type { Rates } from './rates.ts';

/** The macro endpoints of Group A, and the values of their series. */

const ANCHOR = parseDay(ANCHOR_DAY) ?? 0;
const FIRST_DAY = parseDay('2010-01-01') ?? 0;
const DEFAULT_DAYS = 30;
const FRIDAY = 5;

const byCode = new Map(MACRO_SERIES.map((series) => [series.code, series]));

/** On which days a series has a point: monthly ones on the first of the month, weekly ones on Friday. */
const hasPoint: Record<MacroSeries['frequency'], (day: number) => boolean> = {
  daily: isBusinessDay,
  weekly: (day) => weekdayOf(day) === FRIDAY,
  monthly: (day) => firstDayOf(monthOf(day)) === day,
};

/** Observations as a function of series and day. */
type Observe = (code: string, day: number) => HistoryPoint;

function createLevel(seed: number, series: MacroSeries): (day: number) => number {
  const stream = streamOf(seed, `macro ${series.code}`);
  const start = walk(stream, ANCHOR);
  return (day) => {
    const growth = (series.yearlyGrowth * (day - ANCHOR)) / 365;
    const moved = (walk(stream, day) - start) * series.dailyMove;
    return round(series.level * Math.exp((growth + moved) / 100), series.decimals);
  };
}

/** Official rates of a day are those announced at 15:30 on the business day before. */
function createOfficialRate(rates: Rates, pair: string, side: 'buying' | 'selling') {
  return (day: number) => rates[side](pair, instantOf(businessDayUpTo(day - 1), 15, 30));
}

/** Returns a function that gives the points of all series, and caches them. */
export function createObservations(seed: number, rates: Rates): Observe {
  const points = memoize((code: string) => {
    const series = byCode.get(code);
    if (!series) throw new Error(`no series ${code}`);
    const level = series.rate
      ? createOfficialRate(rates, series.rate.pair, series.rate.side)
      : createLevel(seed, series);
    return memoize((day: number) => ({ date: formatDay(day), value: level(day) }), 10_000);
  }, 1000);
  return (code, day) => points(code)(day);
}

/** GET /v1/macro/catalog. `q` searches codes and names without regard to case, by Turkish rules. */
export function macroCatalog(request: EndpointRequest): object {
  const wanted = readText(request.query, 'q')?.toLocaleLowerCase('tr') ?? '';
  const data = MACRO_SERIES.map(({ code, name }) => ({ code, name })).filter(({ code, name }) =>
    `${code} ${name}`.toLocaleLowerCase('tr').includes(wanted),
  );
  return envelope('macro', request, instantOf(request.today), data);
}

/** GET /v1/macro/series/{code}. */
export function macroSeries(observe: Observe, request: EndpointRequest): object {
  const series = byCode.get(request.subject);
  // Not in the spec: the status of a code that does not exist.
  if (!series) throw new ApiError('not_found', `Unknown series code: ${request.subject}`);
  const range = readRange(request.query, {
    start: request.today - DEFAULT_DAYS,
    end: request.today,
  });
  const start = Math.max(range.start, FIRST_DAY);
  const days = daysWhere(start, Math.min(range.end, request.today), hasPoint[series.frequency]);
  const data = days.map((day) => observe(series.code, day));
  return envelope('macro', request, instantOf(request.today), data);
}
