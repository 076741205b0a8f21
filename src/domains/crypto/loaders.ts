import type { GraphQLResolveInfo } from 'graphql';
import type { Cached } from '../../cache/cached.ts';
import type { Context } from '../../graph/context.ts';
import { argumentsBelow, prefetch } from '../../graph/selection.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { combine } from '../../graph/provenance.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import { byRank, marketKey, type RankedAssets } from './asset-list.ts';
import { byTicker, firstByRank } from './datasets.ts';
import { demandOf, withMargin } from './demand.ts';
import {
  type CryptoAssetShape,
  type Market,
  MAX_ASSETS,
  readConvert,
  tickerOf,
} from './records.ts';

/** How a question about crypto assets is answered: from the first 500 by rank, or from one list by ticker. */

type Asset = Cached<CryptoAssetShape | null>;

/** Assets by their tickers; without any the first by rank, `needed` of them at least. */
export interface Wanted {
  symbols: readonly string[];
  needed?: number;
}

/** One asset, null where there is none. */
export function loadAsset(market: Market, symbol: string, context: Context): Maybe<Asset> {
  if (!context.operation.estimate) demandOf(context.gateway).noteNames([symbol]);
  return findAsset(market, symbol, context);
}

/** One asset: among the first by rank, else asked for by its ticker. */
function findAsset(market: Market, symbol: string, context: Context): Maybe<Asset> {
  const { gateway, operation } = context;
  const tickers = byTicker.cache(gateway);
  const isListFresh = () => firstByRank.cache(gateway).isFresh(market, operation);
  const isAlone = (asset: CryptoAssetShape | null) =>
    (asset !== null && (asset.rank ?? Infinity) > MAX_ASSETS) ||
    (!isListFresh() && (tickers.isFresh(market, symbol, operation) || isNarrow(market, context)));
  return whenReady(tickers.lastValue(market, symbol), (asset) =>
    isAlone(asset)
      ? whenReady(byTicker.load(market, symbol, context), (found) => unless(isListFresh, found))
      : lookUp(market, symbol, context),
  );
}

/** The same, until something else is preferred to it. */
export const unless = <T>(isOther: () => boolean, cached: Cached<T>): Cached<T> => ({
  ...cached,
  isCurrent: () => cached.isCurrent() && !isOther(),
});

/** Whether one list by ticker is asked for next. */
function isNarrow(market: Market, { gateway, operation }: Context): boolean {
  if (firstByRank.cache(gateway).isFresh(market, operation)) return false;
  return demandOf(gateway).narrow() !== undefined;
}

/** One asset that may be among the first by rank. */
function lookUp(market: Market, symbol: string, context: Context): Maybe<Asset> {
  const first = firstByRank.load(market, context);
  if (first instanceof Promise) foreseeByTicker(market, symbol, context);
  return whenReady(first, (cached): Maybe<Asset> => {
    noteRanking(cached, context);
    const asset = cached.value.bySymbol.get(symbol);
    return asset ? { ...cached, value: asset } : byTicker.load(market, symbol, context);
  });
}

function noteRanking({ value }: Cached<RankedAssets>, { gateway }: Context): void {
  demandOf(gateway).noteRanking(value.all);
}

/** For a dry run: an asset that was not in the last list may have to be asked for by its ticker. */
function foreseeByTicker(market: Market, symbol: string, { gateway, operation }: Context): void {
  if (!operation.estimate) return;
  const last = firstByRank.cache(gateway).lastKnown(market);
  if (last?.value.bySymbol.has(symbol)) return;
  const kind = `crypto by ticker ${marketKey(market)}`;
  expectFollowUp(operation, kind, symbol, { meter: 'credits', together: MAX_ASSETS });
}

/** The first assets by rank, `needed` of them at least. */
function loadFirst(market: Market, needed: number, context: Context): Maybe<Cached<RankedAssets>> {
  const demand = demandOf(context.gateway);
  if (!context.operation.estimate) demand.noteFirst(Math.min(needed, MAX_ASSETS));
  const last = firstByRank.cache(context.gateway).lastKnown(market);
  const names =
    last && isNarrow(market, context)
      ? last.value.all.slice(0, withMargin(needed)).map(tickerOf)
      : undefined;
  const all = () =>
    whenReady(firstByRank.load(market, context), (cached) => {
      noteRanking(cached, context);
      return cached;
    });
  if (!names) return all();
  return whenReady(loadNamed(market, names, context), (found) => {
    const inRank = found.value.all.findIndex(({ rank }, i) => rank !== i + 1);
    const known = inRank < 0 ? found.value.all : found.value.all.slice(0, inRank);
    if (known.length >= needed) return { ...found, value: { all: known } };
    demand.noteMiss();
    return all();
  });
}

function loadNamed(
  market: Market,
  symbols: readonly string[],
  context: Context,
): Maybe<Cached<RankedAssets>> {
  const parts = [...new Set(symbols)].map((symbol) => findAsset(market, symbol, context));
  return whenReady(whenAll(parts), (assets) => {
    const all = assets.flatMap(({ value }) => value ?? []).toSorted(byRank);
    return combine(assets, { all });
  });
}

/** The assets in order of rank, as one list that is as old as its oldest part. */
export function loadAssets(
  market: Market,
  { symbols, needed = MAX_ASSETS }: Wanted,
  context: Context,
): Maybe<Cached<RankedAssets>> {
  if (symbols.length === 0) return loadFirst(market, needed, context);
  if (!context.operation.estimate) demandOf(context.gateway).noteNames(symbols);
  return loadNamed(market, symbols, context);
}

/** Asks for the other prices that are selected, while the assets themselves are on their way. */
export function startPrices(
  market: Market,
  wanted: Wanted,
  context: Context,
  info: GraphQLResolveInfo,
): void {
  for (const { convert } of argumentsBelow(info, 'CryptoAsset', 'priceIn').map(readConvert))
    if (convert !== market.convert && convert !== 'USD')
      prefetch(() => loadAssets({ ...market, convert }, wanted, context));
}
