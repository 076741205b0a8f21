import { z } from 'zod';
import { nodeId } from '../../graph/ids.ts';
import { isInt, numberOrNull, optional, textOrNull } from '../../json.ts';
import { parseInstant } from '../../time.ts';
import type { Endpoint } from '../../upstream/endpoint.ts';
import type { Market } from './market.ts';

/** Crypto prices (spec sections 2.7 and 4.2, Group B). */

/** Section 2.7. */
const cryptoPrice = z.object({
  symbol: z.string().min(1),
  name: z.string(),
  rank: optional,
  price: z.number(),
  priceUsd: optional,
  change1h: optional,
  change24h: optional,
  change7d: optional,
  volume24h: optional,
  marketCap: optional,
  circulatingSupply: optional,
  maxSupply: optional,
  dominance: optional,
  updatedAt: optional,
});

export type CryptoPrice = z.infer<typeof cryptoPrice>;

export type CryptoAssetShape = ReturnType<typeof assetOf>;

/** Converts a record to the shape that the graph serves. `suffix` is the end of its id, which names the market. */
export function assetOf(price: CryptoPrice, market: Market, suffix: string) {
  const { symbol, rank, updatedAt } = price;
  return {
    id: nodeId('CryptoAsset', symbol) + suffix,
    market,
    symbol,
    name: price.name,
    /** Whether another asset of the same answer has this ticker and a better rank. */
    isNamesake: false,
    /** Whether it was made from an answer in another currency, which does not have all fields. */
    isConverted: false,
    rank: isInt(rank) ? rank : null,
    price: price.price,
    priceUsd: numberOrNull(price.priceUsd),
    change1h: numberOrNull(price.change1h),
    change24h: numberOrNull(price.change24h),
    change7d: numberOrNull(price.change7d),
    volume24h: numberOrNull(price.volume24h),
    marketCap: numberOrNull(price.marketCap),
    circulatingSupply: numberOrNull(price.circulatingSupply),
    maxSupply: numberOrNull(price.maxSupply),
    dominance: numberOrNull(price.dominance),
    updatedAt: parseInstant(textOrNull(updatedAt) ?? '', 'UTC') ?? null,
  };
}

/** Returns the ticker by which an asset is looked up and requested: in capitals, and well-formed, as URLs must be. */
export function tickerOf({ symbol }: Pick<CryptoPrice, 'symbol'>): string {
  return symbol.toUpperCase().toWellFormed();
}

/** Parameters by which a request may match no asset. */
const FILTERS = ['symbols', 'exchange', 'interval'];

/** Whether an answer is in the requested currency, as far as it says. */
function isIn(convert: unknown, requested: unknown): boolean {
  const stated = textOrNull(convert)?.trim() ?? '';
  return stated === '' || stated.toUpperCase() === requested;
}

/** GET /crypto/prices: one credit for up to 500 assets. */
export const pricesEndpoint: Endpoint<CryptoPrice> = {
  name: 'crypto',
  route: '/crypto/prices',
  source: 'crypto',
  group: 'B',
  meter: 'credits',
  record: z.compile(cryptoPrice),
  label: 'symbol',
  emptyOn404: true,
  // Prices in another currency than was requested would be shown as prices in the requested one. Only a filter may match
  // nothing, unless the upstream says so: if any 404 counted as an empty market, no asset would be listed.
  isAbout: ({ convert, isAbsent, saysNoData }, { query = {} }) =>
    isAbsent && !saysNoData
      ? FILTERS.some((name) => query[name] !== undefined)
      : isIn(convert, query['convert']),
};

/** The highest `limit` that the spec allows: 500 assets cost no more than one. */
export const MAX_ASSETS = 500;
