import { type Context, oncePerOperation, perOperation } from '../../graph/context.ts';
import { type Maybe, whenAll } from '../../maybe.ts';
import { byTicker, firstByRank, longestList } from './datasets.ts';
import { demandFor } from './demand.ts';
import { countsFrom } from './list-lengths.ts';
import { convertCurrency, type Market, marketKey } from './market.ts';
import { MAX_ASSETS, pricesEndpoint } from './records.ts';

/** Takes over what other processes have stored about a market. */

/** The markets for which an operation has read, or is reading, what other processes have stored. */
const caughtUp = perOperation((_context: Context) => new Map<string, Maybe<unknown>>());

/** Reads what other processes know of a market, once per operation: lists, assets by ticker, and their demand. */
export function catchUpMarket(market: Market, context: Context): Maybe<unknown> {
  if (!context.gateway.shared) return undefined;
  const known = caughtUp(context);
  const key = marketKey(market);
  if (!known.has(key)) known.set(key, beginCatchUp(market, context));
  return known.get(key);
}

function beginCatchUp(market: Market, context: Context): Maybe<unknown> {
  const { gateway } = context;
  const cache = firstByRank.cache(gateway);
  const lists = countsFrom(0).map((count) => cache.catchUp({ market, count }));
  const tickers = byTicker.cache(gateway).catchUp({ market });
  const line = gateway.client.line(pricesEndpoint).ready();
  return whenAll<unknown>([...lists, tickers, line, demandFor(context).refresh()]);
}

/** Reads the lists of all 500 that other processes have in any currency, in which ranks are the same, unless one is known. */
export const readRanking = oncePerOperation(
  (market: Market, _context: Context) => marketKey(market),
  (market: Market, { gateway }: Context): Maybe<unknown> => {
    if (!gateway.shared || longestList(market, MAX_ASSETS, gateway)) return undefined;
    const { catchUp } = firstByRank.cache(gateway);
    const markets = convertCurrency.options.map((convert) => ({ ...market, convert }));
    return whenAll(markets.map((one) => catchUp({ market: one, count: MAX_ASSETS })));
  },
);
