import {
  args,
  catalogRequest,
  datesBetween,
  eventsRequest,
  historyRequest,
  input,
  list,
  type Market,
  pricesRequest,
  type Question,
  quoted,
  ratesRequest,
  seriesRequest,
} from './economy-questions.ts';
import { createDraw, type Draw } from './economy-random.ts';
import { DEFAULT_TTL, type Trace, type Visit } from './economy-visits.ts';

/** Dashboard screens that poll the same questions, and phones that open a page now and then. */

const POINTS = '{ points { date value } }';

function ratesOf(pairs: readonly string[]): Question {
  const filter = input({ pairs: list(pairs) });
  const field = `fxRates${args({ filter, first: '20' })} { nodes { pair buying selling } }`;
  return { field, direct: [ratesRequest] };
}

function chartOf({ today }: Market, pair: string, days: number): Question {
  const dates = datesBetween(today - days, today);
  const field = `fxRate(pair: "${pair}") { buying history(start: "${dates.start}") ${POINTS} }`;
  return { field, direct: [ratesRequest, historyRequest(pair, dates)] };
}

function seriesOf({ today }: Market, code: string): Question {
  const dates = datesBetween(today - 365, today);
  const field = `macroSeries(code: "${code}") { name observations(start: "${dates.start}") ${POINTS} }`;
  return { field, direct: [catalogRequest(), seriesRequest(code, dates)] };
}

function eventsOf({ today }: Market, countries: readonly string[], days: number): Question {
  const dates = datesBetween(today, today + days);
  const { start, end } = dates;
  const filter = input({ start: quoted(start), end: quoted(end), countries: list(countries) });
  const field = `calendarEvents${args({ filter, first: '50' })} { nodes { datetime event actual } }`;
  return { field, direct: [eventsRequest({ ...dates, countries: countries.join(',') })] };
}

function topOf(market: Market, convert: string, limit: string): Question {
  const field = `cryptoAssets(first: ${limit}, convert: ${convert}) { nodes { symbol price change24h } }`;
  return { field, direct: [pricesRequest(market, convert, { limit })] };
}

function assetsOf(market: Market, convert: string, symbols: readonly string[]): Question {
  const field = `cryptoAssets(filter: { symbols: ${list(symbols)} }, convert: ${convert}) { nodes { symbol price change24h } }`;
  return { field, direct: [pricesRequest(market, convert, { symbols })] };
}

/** Draws the questions that a screen polls. */
function screenOf(market: Market, draw: Draw, number: number): Question[] {
  const some = <T>(from: readonly T[], count: number) => [
    ...new Set(Array.from({ length: count }, () => draw.popular(from))),
  ];
  const convert = draw.weighted([
    [5, 'USD'],
    [4, 'TRY'],
    [1, 'EUR'],
  ]);
  const unlisted = [...market.unlisted];
  const symbols = some(market.symbols.slice(0, 60), 6);
  const ownSymbols = number % 4 === 0 ? [...symbols, unlisted[number % unlisted.length]!] : symbols;
  const all = [
    ratesOf(some(market.pairs, 5)),
    number % 3 === 0 ? topOf(market, convert, '20') : assetsOf(market, convert, ownSymbols),
    chartOf(market, draw.popular(market.pairs), 30),
    eventsOf(market, some(market.countries, 3), 7),
    seriesOf(market, draw.popular(market.codes)),
  ];
  return all.filter((_, i) => i < 2 || draw.chance(0.5));
}

const SCREENS = 40;
const POLLS = 180;
const POLL_MS = 10_000;

export function dashboardsTrace(market: Market): Trace {
  const draw = createDraw(3);
  const visits = Array.from({ length: SCREENS }, (_, i) => {
    const offset = draw.whole(POLL_MS);
    const questions = screenOf(market, draw, i);
    return Array.from({ length: POLLS }, (_poll, n) => ({ at: offset + n * POLL_MS, questions }));
  });
  const start = Date.parse('2026-11-20T12:07:00+03:00');
  return { name: 'dashboards', start, ttl: DEFAULT_TTL, visits: inOrder(visits.flat()) };
}

const inOrder = (visits: readonly Visit[]) => visits.toSorted((a, b) => a.at - b.at);

const DEVICES = 2000;
const HOUR_MS = 3_600_000;
/** Mean hours of the day at which phones open the page, and their standard deviation. */
const OPENINGS = [9, 12.5, 18];
const SPREAD_HOURS = 1.5;
const DETAIL_MS = 20_000;

const normal = (draw: Draw) =>
  Array.from({ length: 12 }, draw.number).reduce((sum, one) => sum + one, -6);

function detailOf(market: Market, draw: Draw, convert: string): Question {
  return draw.weighted<() => Question>([
    [4, () => assetsOf(market, convert, [draw.popular(market.symbols.slice(0, 100))])],
    [4, () => chartOf(market, draw.popular(market.pairs), draw.among([7, 30, 90, 365]))],
    [2, () => eventsOf(market, ['TR', 'US'], 7)],
  ])();
}

/** A page, followed by one detail or, mostly, two. */
function opening(market: Market, draw: Draw, at: number): Visit[] {
  const convert = draw.chance(0.8) ? 'TRY' : 'USD';
  const page = [ratesOf(market.pairs.slice(0, 6)), topOf(market, convert, '50')];
  const details = Array.from({ length: draw.chance(0.9) ? 2 : 1 }, (_, i) => ({
    at: at + (i + 1) * DETAIL_MS,
    questions: [detailOf(market, draw, convert)],
    isGet: true,
  }));
  return [{ at, questions: page, isGet: true }, ...details];
}

export function mobileTrace(market: Market): Trace {
  const draw = createDraw(4);
  const visits = Array.from({ length: DEVICES }, () =>
    OPENINGS.flatMap((hour) => {
      const at = Math.round((hour + normal(draw) * SPREAD_HOURS) * HOUR_MS);
      return opening(market, draw, Math.max(0, at));
    }),
  );
  const start = Date.parse('2026-11-20T00:00:00+03:00');
  return { name: 'mobile', start, ttl: DEFAULT_TTL, visits: inOrder(visits.flat()) };
}
