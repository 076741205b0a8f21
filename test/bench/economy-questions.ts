import { formatDay } from '../../src/time.ts';
import type { Draw } from './economy-random.ts';

/**
 * What a market page asks: each question as GraphQL, and as the upstream requests that a client
 * without the gateway would send for it.
 */

/** What is fresh for a time of its own. */
export type Dataset =
  | 'rates'
  | 'history'
  | 'catalog'
  | 'series'
  | 'legislation'
  | 'calendar'
  | 'crypto';

/** One request that a straightforward client would send for a field. */
export interface Direct {
  dataset: Dataset;
  path: string;
  /** One upstream request can answer everything of a key, so that its questions share a refresh. */
  key: string;
  /** Keys whose answers hold what is asked, too. */
  alsoIn?: readonly string[];
  /** Assets that no list by rank holds. */
  unlisted?: readonly string[];
}

export interface Question {
  /** A field of Query with its arguments and selection. */
  field: string;
  direct: readonly Direct[];
}

/** What there is to ask about, most popular first. */
export interface Market {
  today: number;
  pairs: readonly string[];
  codes: readonly string[];
  symbols: readonly string[];
  /** Of the symbols, those that no list holds: the upstream lists 500 at most. */
  unlisted: ReadonlySet<string>;
  countries: readonly string[];
  topics: readonly string[];
}

/** A path with a query string of those parameters that have a value. */
function url(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0
    ? path
    : `${path}?${given.map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join('&')}`;
}

/** GraphQL arguments in parentheses; nothing where there are none. */
export function args(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `(${given.map((entry) => entry.join(': ')).join(', ')})`;
}

/** A GraphQL input object; undefined where it would be empty. */
export function input(values: Record<string, string | undefined>): string | undefined {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? undefined
    : `{ ${given.map((entry) => entry.join(': ')).join(', ')} }`;
}

export const quoted = (text: string | undefined) =>
  text === undefined ? undefined : JSON.stringify(text);
export const list = (texts: readonly string[]) =>
  texts.length > 0 ? JSON.stringify(texts) : undefined;

/** A range of days as dates; both undefined where the default is asked for. */
export interface Dates {
  start: string | undefined;
  end: string | undefined;
}

export const DEFAULT_DATES: Dates = { start: undefined, end: undefined };

export function datesBetween(start: number, end: number): Dates {
  return { start: formatDay(start), end: formatDay(end) };
}

/** The buttons below a chart, and now and then two dates picked by hand. */
export function chartRange({ today }: Market, draw: Draw): Dates {
  const days = draw.weighted([
    [25, 0],
    [20, 30],
    [15, 90],
    [10, 182],
    [15, 365],
    [4, 5 * 365],
    [11, -1],
  ]);
  if (days === 0) return DEFAULT_DATES;
  if (days > 0) return datesBetween(today - days, today);
  const end = today - draw.whole(300);
  return datesBetween(end - draw.whole(60), end);
}

export const ratesRequest: Direct = { dataset: 'rates', path: '/v1/fx/rates', key: 'fx rates' };

export const historyRequest = (pair: string, dates: Dates): Direct => ({
  dataset: 'history',
  path: url(`/v1/fx/rates/${pair}/history`, { ...dates }),
  key: `fx history ${pair}`,
});

export const catalogRequest = (search?: string): Direct => ({
  dataset: 'catalog',
  path: url('/v1/macro/catalog', { q: search }),
  key: `macro catalog ${search ?? ''}`,
});

export const seriesRequest = (code: string, dates: Dates): Direct => ({
  dataset: 'series',
  path: url(`/v1/macro/series/${code}`, { ...dates }),
  key: `macro series ${code}`,
});

/** The first assets, or the named ones: 500 of either kind in one request. All answers hold prices in dollars. */
export function pricesRequest(
  { unlisted }: Pick<Market, 'unlisted'>,
  convert: string,
  asked: { symbols: readonly string[] } | { limit: string },
): Direct {
  const symbols = 'symbols' in asked ? asked.symbols : [];
  const limit = 'limit' in asked ? asked.limit : undefined;
  return {
    dataset: 'crypto',
    path: url('/crypto/prices', { symbols: symbols.join(','), limit, convert }),
    key: `crypto ${convert}`,
    alsoIn: convert === 'USD' ? ['crypto TRY', 'crypto EUR'] : [],
    unlisted: symbols.filter((symbol) => unlisted.has(symbol)),
  };
}

export const changesRequest = (query: Record<string, string | undefined>): Direct => ({
  dataset: 'legislation',
  path: url('/legislation/changes', query),
  key: `legislation ${query['institution'] ?? ''} ${query['q'] ?? ''}`,
});

export const eventsRequest = (query: Record<string, string | undefined>): Direct => ({
  dataset: 'calendar',
  path: url('/calendar/events', query),
  key: 'calendar',
});
