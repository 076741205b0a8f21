import { formatDay } from '../../src/time.ts';
import type { Draw } from './economy-random.ts';

/**
 * The questions of a market page: each as GraphQL, and as the upstream requests that a client without the
 * gateway would send for it.
 */

/** Datasets that each have their own time to live. */
export type Dataset =
  | 'rates'
  | 'history'
  | 'catalog'
  | 'series'
  | 'legislation'
  | 'calendar'
  | 'crypto';

/** One request that a straightforward client would send for a field. */
export interface DirectRequest {
  dataset: Dataset;
  path: string;
  /** One upstream request can answer everything with the same key, so that those questions share a refresh. */
  key: string;
  /** Other keys whose answers also contain the requested data. */
  alsoIn?: readonly string[];
  /** Requested assets that are in no list by rank. */
  unlisted?: readonly string[];
}

export interface Question {
  /** A field of Query with its arguments and selection. */
  field: string;
  direct: readonly DirectRequest[];
}

/** What can be asked about, most popular first. */
export interface Market {
  today: number;
  pairs: readonly string[];
  codes: readonly string[];
  symbols: readonly string[];
  /** Symbols that are in no list: the upstream lists at most 500. */
  unlisted: ReadonlySet<string>;
  countries: readonly string[];
  topics: readonly string[];
}

/** Returns a path with a query string of the parameters that have a value. */
function url(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0
    ? path
    : `${path}?${given.map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join('&')}`;
}

/** Returns GraphQL arguments in parentheses; an empty string if there are none. */
export function args(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : `(${given.map((entry) => entry.join(': ')).join(', ')})`;
}

/** Returns a GraphQL input object; undefined if it would be empty. */
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

/** A range of days as dates; both are undefined for the default range. */
export interface Dates {
  start: string | undefined;
  end: string | undefined;
}

export const DEFAULT_DATES: Dates = { start: undefined, end: undefined };

export function datesBetween(start: number, end: number): Dates {
  return { start: formatDay(start), end: formatDay(end) };
}

/** Draws a range: that of a button below a chart, or now and then two dates picked by hand. */
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

export const ratesRequest: DirectRequest = {
  dataset: 'rates',
  path: '/v1/fx/rates',
  key: 'fx rates',
};

export const historyRequest = (pair: string, dates: Dates): DirectRequest => ({
  dataset: 'history',
  path: url(`/v1/fx/rates/${pair}/history`, { ...dates }),
  key: `fx history ${pair}`,
});

export const catalogRequest = (search?: string): DirectRequest => ({
  dataset: 'catalog',
  path: url('/v1/macro/catalog', { q: search }),
  key: `macro catalog ${search ?? ''}`,
});

export const seriesRequest = (code: string, dates: Dates): DirectRequest => ({
  dataset: 'series',
  path: url(`/v1/macro/series/${code}`, { ...dates }),
  key: `macro series ${code}`,
});

/** Requests the first assets or the named ones, up to 500 in either case. All answers contain prices in dollars. */
export function pricesRequest(
  { unlisted }: Pick<Market, 'unlisted'>,
  convert: string,
  asked: { symbols: readonly string[] } | { limit: string },
): DirectRequest {
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

export const changesRequest = (query: Record<string, string | undefined>): DirectRequest => ({
  dataset: 'legislation',
  path: url('/legislation/changes', query),
  key: `legislation ${query['institution'] ?? ''} ${query['q'] ?? ''}`,
});

export const eventsRequest = (query: Record<string, string | undefined>): DirectRequest => ({
  dataset: 'calendar',
  path: url('/calendar/events', query),
  key: 'calendar',
});
