import type { Cached, Fetched } from '../../cache/cached.ts';
import { fetched } from '../../graph/freshness.ts';
import { nodeId } from '../../graph/ids.ts';
import { type Answer, mapRecords, type Target } from '../../upstream/endpoint.ts';
import { BYTES_PER_ASSET } from './list-lengths.ts';
import { idSuffix, INTERVALS, type Market } from './market.ts';
import {
  assetOf,
  type CryptoAssetShape,
  type CryptoPrice,
  pricesEndpoint,
  tickerOf,
} from './records.ts';

/** Assets of a market in order of rank. */
export type Assets = readonly CryptoAssetShape[];

/** One answer about assets of a market. */
export interface AssetList {
  /** The `limit` of the request: the answer may have fewer assets. */
  requested: number;
  all: Assets;
  /** By ticker in capitals; of several assets with the same ticker, the one with the best rank. */
  bySymbol: ReadonlyMap<string, CryptoAssetShape>;
}

/**
 * Returns an asset of an answer in another currency, priced in dollars; undefined if it has no dollar price. Its volume
 * and market cap must not be shown: their currency is not stated.
 */
function inDollars(asset: CryptoAssetShape): CryptoAssetShape | undefined {
  const { symbol, priceUsd } = asset;
  if (priceUsd === null) return undefined;
  const market: Market = { ...asset.market, convert: 'USD' };
  const id = nodeId('CryptoAsset', symbol) + idSuffix(market);
  const inUsd = { ...asset, id, market, price: priceUsd, isConverted: true };
  return asset.isNamesake ? asNamesake(inUsd) : inUsd;
}

const converted = new WeakMap<Assets, Assets>();

/** Returns the assets priced in dollars; undefined if any of them has no dollar price. */
export function allInDollars(assets: Assets): Assets | undefined {
  const known = converted.get(assets);
  if (known) return known;
  const all = assets.flatMap((asset) => inDollars(asset) ?? []);
  if (all.length < assets.length) return undefined;
  converted.set(assets, all);
  return all;
}

/** Marks an asset whose ticker stands for another of better rank, and adds its name to its id: the ids then differ. */
function asNamesake(asset: CryptoAssetShape): CryptoAssetShape {
  return { ...asset, id: asset.id + nodeId('', asset.name), isNamesake: true };
}

/** Converts an answer to a list by rank. Ids name the market, since each market has prices of its own. */
export function assetListOf(
  answer: Answer<CryptoPrice>,
  market: Market,
  requested: number,
): Fetched<AssetList> {
  const suffix = idSuffix(market);
  const shaped = mapRecords(pricesEndpoint, answer, {
    shape: (price) => assetOf(price, market, suffix),
    // Tickers are not guaranteed to be unique.
    keyOf: ({ symbol, name }) => `${symbol} ${name}`,
  });
  const bySymbol = new Map<string, CryptoAssetShape>();
  const all = shaped.records.toSorted(byRank).map((asset) => {
    const ticker = tickerOf(asset);
    if (bySymbol.has(ticker)) return asNamesake(asset);
    bySymbol.set(ticker, asset);
    return asset;
  });
  return fetched(shaped, { requested, all, bySymbol });
}

/** Returns the asset with a ticker; undefined if the list has none. */
export function findIn(
  list: Cached<AssetList>,
  ticker: string,
): Cached<CryptoAssetShape> | undefined {
  const value = list.value.bySymbol.get(ticker);
  return value && { ...list, value };
}

/** Returns the assets of a list. */
export const assetsOf = (list: Cached<AssetList>): Cached<Assets> => ({
  ...list,
  value: list.value.all,
});

export const byRank = (a: CryptoAssetShape, b: CryptoAssetShape) =>
  (a.rank ?? Infinity) - (b.rank ?? Infinity);

/** Returns the request for the first `count` assets by rank, or for those with the tickers `symbols`. */
export function pricesTarget(
  { convert, exchange, interval }: Market,
  count: number,
  symbols?: readonly string[],
): Target {
  return {
    path: ['crypto', 'prices'],
    query: {
      symbols: symbols?.join(','),
      convert,
      exchange: exchange ?? undefined,
      interval: interval ? INTERVALS[interval] : undefined,
      limit: String(count),
    },
  };
}

/** Returns those of some assets that a list has, as if they had been asked for by their tickers. */
export function listedOf(list: Cached<AssetList>, symbols: readonly string[]) {
  const { value, origin, warnings, at } = list;
  const bytes = BYTES_PER_ASSET * value.bySymbol.size;
  return {
    asked: symbols.filter((symbol) => value.bySymbol.has(symbol)),
    answer: { value: value.bySymbol, origin, warnings, bytes },
    at: { now: origin.retrievedAt, aging: at },
  };
}
