import { sharedCount } from './list-lengths.ts';
import { type Market, marketKey, parseMarketKey } from './market.ts';
import { MAX_ASSETS } from './records.ts';

/** What can be asked about a market: the first assets by rank, or some by their tickers; and under which keys. */

interface MarketQuestion {
  market: Market;
  /** Whether not to retry after a timeout, since the caller has a fallback; ignored if others need it (noteNeeded). */
  noRetry?: boolean;
}

export const tickersKey = (market: Market) => `by ticker ${marketKey(market)}`;

export interface ListQuestion extends MarketQuestion {
  /** How many assets: one of COUNTS, or exactly as many as are wanted. */
  count: number;
  /**
   * How many of them suffice while another process is asking for another list: any of that length or more then does as
   * well. By default, none does.
   */
  needed?: number;
}

export interface TickerQuestion extends MarketQuestion {
  /** The length up to which a list that is being requested is awaited, since it may have the asset; default: 0. */
  maxAwaited?: number;
}

/** Whether a ticker is so unusual that the upstream may refuse it, and with it all others of its request. */
export const isUnusual = (symbol: string) => !/^[A-Z0-9.$_-]{1,20}$/.test(symbol);

export function listKey({ market, count }: ListQuestion): string {
  return count === MAX_ASSETS ? marketKey(market) : `first ${count} ${marketKey(market)}`;
}

export function parseListKey(text: string): ListQuestion | undefined {
  const [, count, rest] = /^(?:first (\d+) )?(.*)$/s.exec(text) ?? [];
  const market = parseMarketKey(rest ?? '');
  return market && { market, count: count ? Number(count) : MAX_ASSETS };
}

/**
 * Returns the longest part of a list whose length is one of COUNTS, which other questions look for; undefined if the
 * list itself has such a length, or is shorter than all of them.
 */
export function sharedPart({ market, count }: ListQuestion): ListQuestion | undefined {
  const shorter = sharedCount(count);
  return shorter === undefined || shorter === count ? undefined : { market, count: shorter };
}
