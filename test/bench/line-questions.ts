import { dayAt, formatDay } from '../../src/time.ts';

/** Single questions, and the request that a client without the gateway would send for each. */

/** A Friday at noon. */
export const NOW = Date.parse('2026-11-20T12:00:00+03:00');

export interface LineQuestion {
  name: string;
  /** A query that is asked first. */
  before?: string;
  query: string;
  direct: { group: 'A' | 'B'; path: string };
}

const day = (days: number) => formatDay(dayAt(NOW, 'Europe/Istanbul') + days);

const history = (pair: string, days: number) =>
  `{ fxRate(pair: "${pair}") { history(start: "${day(-days)}", end: "${day(0)}") { points { date value } } } }`;

const historyPath = (pair: string, days: number) =>
  `/v1/fx/rates/${pair}/history?start=${day(-days)}&end=${day(0)}`;

const legislation = (filter: string, days = 7) =>
  `{ legislationChanges(filter: { start: "${day(-days)}", end: "${day(0)}"${filter} }) { nodes { title } } }`;

const legislationPath = (days = 7) => `/legislation/changes?start=${day(-days)}&end=${day(0)}`;

const turkishEvents = (days: number) =>
  `{ calendarEvents(filter: { start: "${day(0)}", end: "${day(days)}", countries: ["TR"] }) { nodes { event } } }`;

const turkishEventsPath = (days: number) =>
  `/calendar/events?start=${day(0)}&end=${day(days)}&countries=TR`;

const TOP_20 = '{ cryptoAssets(first: 20) { nodes { symbol price } } }';

const observations = (code: string) =>
  `{ macroSeries(code: "${code}") { observations(last: 12) { points { date value } } } }`;

const seriesPath = (code: string, days: number) =>
  `/v1/macro/series/${code}?start=${day(-days)}&end=${day(0)}`;

/** A series with one value a month, and one with a value a day. */
const CODES = { monthly: 'TP.FG.J0', daily: 'TP.DK.USD.A' };

export const questions: readonly LineQuestion[] = [
  {
    name: 'one coin',
    query: '{ cryptoAsset(symbol: "ETH") { price } }',
    direct: { group: 'B', path: '/crypto/prices?symbols=ETH' },
  },
  {
    name: 'top 20',
    query: TOP_20,
    direct: { group: 'B', path: '/crypto/prices?limit=20' },
  },
  {
    name: "today's Turkish events",
    query: turkishEvents(0),
    direct: { group: 'B', path: turkishEventsPath(0) },
  },
  {
    name: '7 days of a pair, after 10 years of another',
    before: history('EURTRY', 3650),
    query: history('USDTRY', 7),
    direct: { group: 'A', path: historyPath('USDTRY', 7) },
  },
  {
    name: 'a year of a pair',
    query: history('USDTRY', 365),
    direct: { group: 'A', path: historyPath('USDTRY', 365) },
  },
  {
    name: 'the last 12 values of a monthly series',
    query: observations(CODES.monthly),
    direct: { group: 'A', path: seriesPath(CODES.monthly, 365) },
  },
  {
    name: 'the last 12 values of a daily series',
    query: observations(CODES.daily),
    direct: { group: 'A', path: seriesPath(CODES.daily, 20) },
  },
  {
    name: 'legislation of a week',
    query: legislation(''),
    direct: { group: 'B', path: legislationPath() },
  },
  {
    name: 'a search in the legislation of that week',
    query: legislation(', search: "vergi"'),
    direct: { group: 'B', path: `${legislationPath()}&q=vergi` },
  },
  {
    name: '90 days of legislation about one topic',
    query: legislation(', topics: ["tax"]', 90),
    direct: { group: 'B', path: `${legislationPath(90)}&topic=tax` },
  },
  {
    name: 'Turkish events of the next 60 days',
    query: turkishEvents(60),
    direct: { group: 'B', path: turkishEventsPath(60) },
  },
];

/** Returns queries that teach a gateway the speed of both groups' lines, but answer no part of the question. */
export function learningFor({ direct }: LineQuestion): readonly string[] {
  return [
    history('GBPTRY', 365),
    direct.path.startsWith('/legislation') ? TOP_20 : legislation(''),
  ];
}
