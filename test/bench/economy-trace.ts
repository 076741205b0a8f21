import {
  args,
  catalogRequest,
  changesRequest,
  chartRange,
  type Dates,
  datesBetween,
  DEFAULT_DATES,
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
import { type Trace, type Visit } from './economy-visits.ts';

type Ask = (market: Market, draw: Draw) => Question;

const askRates: Ask = ({ pairs }, draw) => {
  const some = Array.from({ length: 1 + draw.whole(6) }, () => draw.popular(pairs));
  const filter = draw.weighted([
    [3, undefined],
    [4, '{ quote: "TRY" }'],
    [2, `{ base: "${draw.popular(pairs).slice(0, 3)}" }`],
    [4, input({ pairs: list(some) })],
  ]);
  const field = `fxRates${args({ filter, first: '50' })} { nodes { pair buying selling } }`;
  return { field, direct: [ratesRequest] };
};

const askRate: Ask = ({ pairs }, draw) => {
  const field = `fxRate(pair: "${draw.popular(pairs)}") { buying selling spread }`;
  return { field, direct: [ratesRequest] };
};

const SERIES = '{ points { date value } change latest { value } }';

const askHistory: Ask = (market, draw) => {
  const pair = draw.popular(market.pairs);
  const dates = chartRange(market, draw);
  const range = args({ start: quoted(dates.start), end: quoted(dates.end) });
  const field = `fxRate(pair: "${pair}") { buying history${range} ${SERIES} }`;
  return { field, direct: [ratesRequest, historyRequest(pair, dates)] };
};

const askObservations: Ask = (market, draw) => {
  const code = draw.popular(market.codes);
  const dates = chartRange(market, draw);
  const range = args({ start: quoted(dates.start), end: quoted(dates.end) });
  const field = `macroSeries(code: "${code}") { name observations${range} ${SERIES} }`;
  return { field, direct: [catalogRequest(), seriesRequest(code, dates)] };
};

const askCatalog: Ask = (_market, draw) => {
  const search = draw.chance(0.2) ? draw.popular(['faiz', 'tüfe', 'dolar']) : undefined;
  const codePrefix = search ? undefined : draw.among([undefined, 'TP.DK', 'TP.FG', 'TP.MK']);
  const filter = input({ search: quoted(search), codePrefix: quoted(codePrefix) });
  const field = `macroCatalog${args({ filter })} { totalCount nodes { code name } }`;
  return { field, direct: [catalogRequest(search)] };
};

const KINDS = { LAW: 'kanun', REGULATION: 'yonetmelik', COMMUNIQUE: 'teblig' } as const;

const askLegislation: Ask = ({ today, topics }, draw) => {
  const kind = draw.among([undefined, 'LAW', 'REGULATION', 'COMMUNIQUE'] as const);
  const topic = draw.chance(0.5) ? draw.popular(topics) : undefined;
  const institution = draw.chance(0.06) ? draw.popular(['tbmm', 'bddk', 'spk']) : undefined;
  const search = draw.chance(0.06) ? draw.popular(['vergi', 'bildirim']) : undefined;
  const days = draw.among([7, 7, 30, 30, 60, 90, draw.whole(100)]);
  const dates = draw.chance(0.1) ? DEFAULT_DATES : datesBetween(today - days, today);
  const filter = input({
    start: quoted(dates.start),
    end: quoted(dates.end),
    types: kind && `[${kind}]`,
    topics: topic && list([topic]),
    institution: quoted(institution),
    search: quoted(search),
  });
  const field = `legislationChanges${args({ filter, first: '20' })} { totalCount nodes { title } }`;
  const query = { ...dates, type: kind && KINDS[kind], topic, institution, q: search };
  return { field, direct: [changesRequest(query)] };
};

function calendarRange(today: number, draw: Draw): Dates {
  const [from, to] = draw.among([
    [0, 0],
    [0, 14],
    [-7, 0],
    [1, 7],
    [0, 30],
    [-draw.whole(20), draw.whole(40)],
  ] as const);
  return draw.chance(0.3) ? DEFAULT_DATES : datesBetween(today + from, today + to);
}

const askCalendar: Ask = ({ today, countries: all }, draw) => {
  const dates = calendarRange(today, draw);
  const countries = [...new Set(Array.from({ length: draw.whole(4) }, () => draw.popular(all)))];
  const importance = draw.among([undefined, undefined, 'high', 'medium']);
  const currency = draw.chance(0.15) ? draw.popular(['USD', 'TRY', 'EUR']) : undefined;
  const filter = input({
    start: quoted(dates.start),
    end: quoted(dates.end),
    countries: list(countries),
    importance: importance && `[${importance.toUpperCase()}]`,
    currencies: currency && list([currency]),
  });
  const field = `calendarEvents${args({ filter, first: '50' })} { nodes { datetime event actual } }`;
  const query = { ...dates, countries: countries.join(','), importance, currency };
  return { field, direct: [eventsRequest(query)] };
};

const drawConvert = (draw: Draw) => draw.popular(['USD', 'TRY', 'EUR']);

const askAssets: Ask = (market, draw) => {
  const limit = String(draw.among([10, 20, 50, 100]));
  const convert = drawConvert(draw);
  const field = `cryptoAssets(first: ${limit}, convert: ${convert}) { nodes { symbol price } }`;
  return { field, direct: [pricesRequest(market, convert, { limit })] };
};

const askWatchlist: Ask = (market, draw) => {
  const symbols = Array.from({ length: 2 + draw.whole(8) }, () => draw.popular(market.symbols));
  const some = [...new Set(symbols)];
  const convert = drawConvert(draw);
  const field = `cryptoAssets(filter: { symbols: ${list(some)} }, convert: ${convert}) { nodes { symbol price } }`;
  return { field, direct: [pricesRequest(market, convert, { symbols: some })] };
};

const askAsset: Ask = (market, draw) => {
  const symbol = draw.popular(market.symbols);
  const [convert, other] = draw.among([
    ['USD', 'TRY'],
    ['USD', 'EUR'],
    ['TRY', 'USD'],
  ] as const);
  const both = draw.chance(0.5);
  const more = both ? ` priceIn(convert: ${other})` : '';
  const field = `cryptoAsset(symbol: "${symbol}", convert: ${convert}) { name price${more} }`;
  const request = (currency: string) => pricesRequest(market, currency, { symbols: [symbol] });
  return { field, direct: [request(convert), ...(both ? [request(other)] : [])] };
};

/** The questions of a market page, with their weights. */
const MIX: readonly (readonly [number, Ask])[] = [
  [12, askRates],
  [8, askRate],
  [16, askHistory],
  [14, askObservations],
  [4, askCatalog],
  [12, askLegislation],
  [12, askCalendar],
  [8, askAssets],
  [8, askWatchlist],
  [8, askAsset],
];

const STEP_MS = 100;
/** A Friday at noon: no calendar event is released in the minutes that follow. */
export const START = Date.parse('2026-11-20T12:07:00+03:00');
const TTL = { rates: 30, crypto: 30, history: 300, series: 300, catalog: 300, legislation: 300 };

/** Returns the trace of a market page: `count` operations in order of time; those of one moment are sent together. */
export function marketTrace(market: Market, count: number, durationMs: number, seed = 1): Trace {
  const draw = createDraw(seed);
  const steps = durationMs / STEP_MS;
  const visits: Visit[] = Array.from({ length: count }, () => ({
    at: draw.whole(steps) * STEP_MS,
    questions: Array.from({ length: draw.among([1, 1, 1, 2, 3]) }, () =>
      draw.weighted(MIX)(market, draw),
    ),
  }));
  return {
    name: 'market page',
    start: START,
    ttl: { ...TTL, calendar: 300, settled: 300 },
    visits: visits.toSorted((a, b) => a.at - b.at),
  };
}
