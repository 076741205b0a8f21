import type { GraphQLResolveInfo } from 'graphql';
import type { Cached } from '../../cache/cached.ts';
import type { Context } from '../../graph/context.ts';
import { prefetch } from '../../graph/prefetch.ts';
import { argumentsBelow } from '../../graph/selection.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { combine } from '../../graph/provenance.ts';
import { byRank, type RankedAssets } from './asset-list.ts';
import { bestOf } from './consistent.ts';
import { demandFor, MOST_NAMES, withMargin } from './demand.ts';
import { foreseeByTicker, foreseeList } from './foresee.ts';
import { laterThan } from './latest.ts';
import { catchUpMarket, freshCount, knownLists, loadRanked } from './lists.ts';
import { isNarrow } from './narrow.ts';
import { findAsset, isFreshByTicker, wasMissing } from './one-asset.ts';
import {
  type CryptoAssetShape,
  type Market,
  MAX_ASSETS,
  readConvert,
  tickerOf,
} from './records.ts';

/**
 * How a question about crypto assets is answered. The 500 first by rank cost what one asset costs, so they are asked
 * for whatever is wanted; unless few assets are wanted by all, for which one list by ticker does, or the line
 * is so slow that this would take much longer.
 */

/** Assets by their tickers; without any the first by rank, `needed` of them at least. */
export interface Wanted {
  symbols: readonly string[];
  needed?: number | undefined;
}

/** The first assets by rank: so many of them, and perhaps more. */
function loadFirst(market: Market, needed: number, context: Context): Maybe<Cached<RankedAssets>> {
  demandFor(context).noteFirst(Math.min(needed, MAX_ASSETS));
  const isHere = () => freshCount(market, needed, context) !== undefined;
  if (isHere()) return loadRanked(market, needed, context);
  return whenReady(catchUpMarket(market, context), () => {
    const tickers = isHere() ? undefined : tickersOfFirst(market, needed, context);
    return tickers
      ? loadFirstByTicker(market, needed, tickers, context)
      : whenReady(loadRanked(market, needed, context), (list) => withLatest(list, market, context));
  });
}

/** Of a list that is served since the upstream fails, assets may have come later in other answers. */
function withLatest(
  list: Cached<RankedAssets>,
  market: Market,
  context: Context,
): Cached<RankedAssets> {
  if (!list.stale) return list;
  const { all } = list.value;
  return { ...list, value: { all: bestOf([all, ...laterThan(list, market, context)])(all) } };
}

/** By which tickers to ask for the first assets by rank; undefined where a list by rank is asked for. */
function tickersOfFirst(
  market: Market,
  needed: number,
  context: Context,
): readonly string[] | undefined {
  const [last] = knownLists(market, needed, context.gateway);
  // Not where that would bring less: an empty list names none, no ticker names a namesake, and gaps stay.
  const named = last ? [...last.value.bySymbol.values()] : [];
  if (withoutGaps(named).length < needed) return undefined;
  const tickers = named.slice(0, withMargin(needed)).map(tickerOf);
  const isFree = () => tickers.every((ticker) => isFreshByTicker(market, ticker, context));
  const isOneList = tickers.length <= MOST_NAMES && isNarrow(market, context);
  return isOneList || isFree() ? tickers : undefined;
}

/** A list by rank is asked for after all where ranks have changed since the last one. */
function loadFirstByTicker(
  market: Market,
  needed: number,
  tickers: readonly string[],
  context: Context,
): Maybe<Cached<RankedAssets>> {
  const loading = loadNamed(market, tickers, context);
  if (loading instanceof Promise) foreseeList(market, context);
  return whenReady(loading, (found): Maybe<Cached<RankedAssets>> => {
    const known = withoutGaps(found.value.all);
    if (known.length >= needed) return { ...found, value: { all: known } };
    demandFor(context).noteMiss();
    return loadRanked(market, needed, context);
  });
}

/** The best ranks, as far as none is missing. */
function withoutGaps(assets: readonly CryptoAssetShape[]): readonly CryptoAssetShape[] {
  const gap = assets.findIndex(({ rank }, i) => rank !== i + 1);
  return gap < 0 ? assets : assets.slice(0, gap);
}

/** Assets by their tickers, of which nobody shall think that a client has asked for them. */
export function loadNamed(
  market: Market,
  symbols: readonly string[],
  context: Context,
): Maybe<Cached<RankedAssets>> {
  const names = [...new Set(symbols)];
  const parts = names.map((symbol) => findAsset(market, symbol, names.length, context));
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
  demandFor(context).noteNames(symbols);
  return loadNamed(market, symbols, context);
}

/**
 * Asks for the other prices that are selected, while the assets themselves are on their way. Not of what was missing in
 * the last answer about it: they would be paid for nothing.
 */
export function startPrices(
  market: Market,
  { symbols, needed }: Wanted,
  context: Context,
  info: GraphQLResolveInfo,
): void {
  const likely = symbols.filter((symbol) => !wasMissing(market, symbol, context));
  const unlikely = new Set(symbols).difference(new Set(likely));
  for (const { convert } of argumentsBelow(info, 'CryptoAsset', 'priceIn').map(readConvert)) {
    if (convert === market.convert || convert === 'USD') continue;
    const other = { ...market, convert };
    for (const symbol of unlikely) foreseeByTicker(other, symbol, context);
    if (likely.length > 0 || symbols.length === 0)
      prefetch(() => loadAssets(other, { symbols: likely, needed }, context));
  }
}

/** The same for assets that are here already. */
export function startPricesOf(
  assets: readonly CryptoAssetShape[],
  context: Context,
  info: GraphQLResolveInfo,
): void {
  const symbols = assets.filter(({ isNamesake }) => !isNamesake).map(tickerOf);
  if (symbols.length > 0) startPrices(assets[0]!.market, { symbols }, context, info);
}
