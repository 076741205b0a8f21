import {
  args,
  catalogRequest,
  changesRequest,
  datesBetween,
  eventsRequest,
  historyRequest,
  input,
  type Market,
  quoted,
  seriesRequest,
} from './economy-questions.ts';
import { createDraw, type Draw } from './economy-random.ts';
import { DEFAULT_TTL, type Trace, type Visit } from './economy-visits.ts';

/** A user who explores in a notebook: any range of any series, word searches, long calendars. */

type Ask = (market: Market, draw: Draw) => Omit<Visit, 'at'>;

const MIN_DAYS = 30;
const MAX_DAYS = 3650;
const PAIRS = 20;
const SERIES = 28;
const WORDS =
  'vergi banka enerji gümrük imar çalışma kurul tebliğ kredi ihracat ithalat lisans rapor sınır oran değer ödeme kayıt süre belge'.split(
    ' ',
  );

/** Draws a range. Its length is log-uniform: ranges of a few months are as frequent as ranges of a few years. */
function anyRange({ today }: Market, draw: Draw) {
  const days = Math.round(MIN_DAYS * (MAX_DAYS / MIN_DAYS) ** draw.number());
  const end = draw.chance(0.5) ? today : today - draw.whole(MAX_DAYS - days + 1);
  return datesBetween(end - days, end);
}

const rangeArgs = ({ start, end }: ReturnType<typeof anyRange>) =>
  args({ start: quoted(start), end: quoted(end) });

const askHistory: Ask = (market, draw) => {
  const pair = draw.among(market.pairs.slice(0, PAIRS));
  const dates = anyRange(market, draw);
  const field = `fxRate(pair: "${pair}") { history${rangeArgs(dates)} { points { date value } } }`;
  // The history also tells whether the pair exists, so no request for the rates is needed.
  return { questions: [{ field, direct: [historyRequest(pair, dates)] }] };
};

const askSeries: Ask = (market, draw) => {
  const code = draw.among(market.codes.slice(0, SERIES));
  const dates = anyRange(market, draw);
  const field = `macroSeries(code: "${code}") { name observations${rangeArgs(dates)} { points { date value } } }`;
  return { questions: [{ field, direct: [catalogRequest(), seriesRequest(code, dates)] }] };
};

const askChanges: Ask = ({ today }, draw) => {
  const word = draw.chance(0.7) ? draw.among(WORDS) : undefined;
  const end = draw.chance(0.6) ? today : today - draw.whole(300);
  const dates = datesBetween(end - 30 - draw.whole(400), end);
  const filter = input({
    start: quoted(dates.start),
    end: quoted(dates.end),
    search: quoted(word),
  });
  const field = `legislationChanges${args({ filter, first: '100', after: 'CURSOR' })} { nodes { id title } pageInfo { hasNextPage endCursor } }`;
  return { questions: [{ field, direct: [changesRequest({ ...dates, q: word })] }], isPaged: true };
};

const askEvents: Ask = ({ today }, draw) => {
  const start = today - draw.whole(5 * 365);
  const dates = datesBetween(start, Math.min(start + 5 * 365, today + draw.whole(365)));
  const filter = input({ start: quoted(dates.start), end: quoted(dates.end) });
  const field = `calendarEvents${args({ filter, first: '100', after: 'CURSOR' })} { nodes { id event } pageInfo { hasNextPage endCursor } }`;
  return { questions: [{ field, direct: [eventsRequest({ ...dates })] }], isPaged: true };
};

const MIX: readonly (readonly [number, Ask])[] = [
  [35, askSeries],
  [34, askHistory],
  [20, askChanges],
  [11, askEvents],
];

const OPERATIONS = 1600;
const DURATION_MS = 30 * 60_000;
const START = Date.parse('2026-11-19T12:17:00+03:00');

export function notebookTrace(market: Market): Trace {
  const draw = createDraw(2);
  const visits = Array.from({ length: OPERATIONS }, () => ({
    at: draw.whole(DURATION_MS),
    ...draw.weighted(MIX)(market, draw),
  }));
  const inOrder = visits.toSorted((a, b) => a.at - b.at);
  return { name: 'notebook', start: START, ttl: DEFAULT_TTL, visits: inOrder };
}
