import { EXCHANGES } from '../lists/exchanges.ts';
import type { EndpointRequest } from '../endpoint.ts';
import type { Rates } from '../group-a/rates.ts';
import { tradedAt } from '../group-a/rates.ts';
import { readChoice, readCodes, readCount } from '../parameters.ts';
import { centered, streamOf } from '../random.ts';
import { ApiError } from '../errors.ts';
import { formatInstant } from '../time.ts';
import type { Ranking, Quote } from './crypto-ranking.ts';

/** The crypto endpoint of Group B: which assets of the ranking are in an answer, in which currency. */

const CURRENCIES = ['USD', 'TRY', 'EUR'] as const;
const INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const;
const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 100;
const SHARES = new Map(EXCHANGES);
const EXCHANGE_NAMES = EXCHANGES.map(([name]) => name);

/** What turns a USD quote into a record: the value of a dollar in `convert`, and the exchange, if one is named. */
interface Conversion {
  dollar: number;
  exchange: string | null;
  seed: number;
}

const significant = (value: number) => Number(value.toPrecision(6));

/** The factor by which an exchange's price differs from the market: up to 0.15 percent, constant for each asset. */
function offset(to: Conversion, symbol: string): number {
  if (to.exchange === null) return 1;
  return 1 + 0.0015 * centered(streamOf(to.seed, `${to.exchange} ${symbol}`), 0);
}

/** Section 2.7. Not in the spec: the currency of volume and market cap; here it is the one of `convert`. */
function toRecord(quote: Quote, to: Conversion): object {
  const price = quote.price * offset(to, quote.symbol);
  const share = SHARES.get(to.exchange ?? '') ?? 1;
  return {
    symbol: quote.symbol,
    name: quote.name,
    rank: quote.rank,
    price: significant(price * to.dollar),
    priceUsd: significant(price),
    change1h: quote.change1h,
    change24h: quote.change24h,
    change7d: quote.change7d,
    volume24h: Math.round(quote.volume * share * to.dollar),
    marketCap: Math.round(quote.marketCap * to.dollar),
    circulatingSupply: quote.supply,
    maxSupply: quote.maxSupply,
    dominance: quote.dominance,
    updatedAt: formatInstant(quote.updatedAt),
  };
}

/** Not in the spec: unknown symbols are left out; the rest are in order of rank. */
function choose(ranking: Ranking, query: URLSearchParams): Ranking {
  const symbols = readCodes(query, 'symbols', /^[A-Z0-9.$_-]{1,20}$/);
  const limit = readCount(query, 'limit', MAX_LIMIT);
  if (symbols.size === 0) return ranking.slice(0, limit ?? DEFAULT_LIMIT);
  return ranking.filter(({ symbol }) => symbols.has(symbol)).slice(0, limit ?? MAX_LIMIT);
}

/** GET /crypto/prices. The spec does not show the OHLC answer, so `interval` is checked and has no effect. */
export function createCryptoPrices(seed: number, rates: Rates, rankingAt: (at: number) => Ranking) {
  return ({ query, at }: EndpointRequest): object => {
    const convert = readChoice(query, 'convert', CURRENCIES) ?? 'USD';
    const exchange = readChoice(query, 'exchange', EXCHANGE_NAMES);
    readChoice(query, 'interval', INTERVALS);
    const chosen = choose(rankingAt(at), query);
    if (chosen.length === 0) throw new ApiError('no_data', 'No known asset among the symbols');
    const to = { dollar: rates.mid('USD', convert, tradedAt(at)), exchange, seed };
    const data = chosen.map((quote) => toRecord(quote, to));
    return { convert, timestamp: formatInstant(at), data };
  };
}
