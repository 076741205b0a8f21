import type { GraphQLResolveInfo } from 'graphql';
import type { Cached } from '../../cache/cached.ts';
import type { Context } from '../../graph/context.ts';
import { prefetch } from '../../graph/prefetch.ts';
import { argumentsBelow } from '../../graph/selection.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { combine } from '../../graph/provenance.ts';
import { type Assets, assetsOf, byRank } from './asset-list.ts';
import { bestOf } from './consistent.ts';
import { freshCount, knownLists } from './datasets.ts';
import { demandFor, MAX_NAMES, withMargin } from './demand.ts';
import { foreseeByTicker, foreseeList } from './foresee.ts';
import { laterThan } from './latest.ts';
import { noteInUse } from './in-use.ts';
import { loadRanked, noteWanted } from './lists.ts';
import { convertCurrency, hasDollars, type Market } from './market.ts';
import { isNarrow } from './narrow.ts';
import { findAsset, isFreshByTicker, isLower, wasMissing } from './one-asset.ts';
import { catchUpMarket } from './other-processes.ts';
import { MAX_ASSETS, tickerOf } from './records.ts';

/**
 * How a question about crypto assets is answered. The first 500 by rank cost what one asset costs, so they are
 * requested whatever is wanted, unless clients want few assets altogether, for which one list by ticker suffices, or
 * the line is so slow that 500 would take much longer.
 */

/** The assets with these tickers; if there are none, at least the first `needed` by rank (default: MAX_ASSETS). */
export interface Wanted {
  symbols: readonly string[];
  needed?: number | undefined;
}

/** Loads the first `needed` assets by rank, or more, and notes the demand for them. */
function loadFirst(market: Market, needed: number, context: Context): Maybe<Cached<Assets>> {
  demandFor(context).noteFirst(Math.min(needed, MAX_ASSETS));
  const isFresh = () => freshCount(market, needed, context) !== undefined;
  const ranked = () => whenReady(loadRanked(market, needed, context), assetsOf);
  if (isFresh()) return ranked();
  return whenReady(catchUpMarket(market, context), () => {
    const tickers = isFresh() ? undefined : tickersOfFirst(market, needed, context);
    return tickers
      ? loadFirstByTicker(market, needed, tickers, context)
      : whenReady(ranked(), (list) => withLatest(list, market, context));
  });
}

/** Brings a list that is served stale, since the upstream fails, up to date with assets that came in later answers. */
function withLatest(list: Cached<Assets>, market: Market, context: Context): Cached<Assets> {
  if (!list.stale) return list;
  const latest = bestOf([list.value, ...laterThan(list, market, context)]);
  return { ...list, value: latest(list.value) };
}

/** Returns the tickers by which to request the first assets by rank; undefined to request a list by rank. */
function tickersOfFirst(
  market: Market,
  needed: number,
  context: Context,
): readonly string[] | undefined {
  const [last] = knownLists(market, needed, context.gateway);
  // Not if that would bring too few: an empty list names none, no ticker stands for a namesake, and gaps remain. Nor
  // after an answer without any assets, which the list has outlasted.
  const named = last && !last.stale ? [...last.value.bySymbol.values()] : [];
  if (withoutGaps(named).length < needed) return undefined;
  const tickers = named.slice(0, withMargin(needed)).map(tickerOf);
  const isFree = () => tickers.every((ticker) => isFreshByTicker(market, ticker, context));
  const isOneList = tickers.length <= MAX_NAMES && isNarrow(market, context);
  return isOneList || isFree() ? tickers : undefined;
}

/** Loads the first assets by their tickers; if ranks have changed too much since the last list, a list by rank. */
function loadFirstByTicker(
  market: Market,
  needed: number,
  tickers: readonly string[],
  context: Context,
): Maybe<Cached<Assets>> {
  const loading = loadNamed(market, tickers, context);
  if (loading instanceof Promise) foreseeList(market, context);
  return whenReady(loading, (found): Maybe<Cached<Assets>> => {
    const known = withoutGaps(found.value);
    if (known.length >= needed) return { ...found, value: known };
    demandFor(context).noteMiss();
    return whenReady(loadRanked(market, needed, context), assetsOf);
  });
}

/** Returns the assets from rank 1 to the last one before a rank is missing. */
function withoutGaps(assets: Assets): Assets {
  const gap = assets.findIndex(({ rank }, i) => rank !== i + 1);
  return gap < 0 ? assets : assets.slice(0, gap);
}

/** Loads assets by their tickers, without noting a demand for them. */
export function loadNamed(
  market: Market,
  symbols: readonly string[],
  context: Context,
): Maybe<Cached<Assets>> {
  const names = [...new Set(symbols)];
  const parts = names.map((symbol) => findAsset(market, symbol, names.length, context));
  return whenReady(whenAll(parts), (assets) => {
    const all = assets.flatMap(({ value }) => value ?? []).toSorted(byRank);
    return combine(assets, all);
  });
}

/** Loads assets in order of rank, as one list that is as old as its oldest part, and notes the demand for them. */
export function loadAssets(
  market: Market,
  { symbols, needed = MAX_ASSETS }: Wanted,
  context: Context,
): Maybe<Cached<Assets>> {
  if (symbols.length === 0) return loadFirst(market, needed, context);
  demandFor(context).noteNames(symbols);
  return loadNamed(market, symbols, context);
}

/**
 * Prefetches the selected prices in other currencies while the assets themselves are being loaded. Leaves out assets
 * that were missing in the last answer about them: their prices would be paid for nothing.
 */
export function startPrices(
  market: Market,
  { symbols, needed }: Wanted,
  context: Context,
  info: GraphQLResolveInfo,
): void {
  const { others, likely } = selectedPrices(market, symbols, context, info);
  const unlikely = new Set(symbols).difference(new Set(likely));
  for (const other of others) {
    for (const symbol of unlikely) foreseeByTicker(other, symbol, context);
    if (likely.length > 0 || symbols.length === 0)
      prefetch((own) => loadAssets(other, { symbols: likely, needed }, own), context);
  }
}

/** The markets that have the selected prices, and which of the assets they are likely to have. */
function selectedPrices(
  market: Market,
  symbols: readonly string[],
  context: Context,
  info: GraphQLResolveInfo,
) {
  const others = otherMarkets(market, info);
  const isLikely = (symbol: string) => !wasMissing(market, symbol, context);
  return { others, likely: others.length > 0 ? symbols.filter(isLikely) : [] };
}

/**
 * Tells other fields in advance what `startPrices` will load: its answers have prices in dollars, too, so that the
 * operation needs no others. Assets that no list has are loaded by ticker, which serves no other field.
 */
export function notePrices(
  market: Market,
  { symbols, needed = MAX_ASSETS }: Wanted,
  context: Context,
  info: GraphQLResolveInfo,
): void {
  const { others, likely } = selectedPrices(market, symbols, context, info);
  if (others.length === 0 || (symbols.length > 0 && likely.length === 0)) return;
  // Whether a list or single assets are requested is decided by what is wanted, before `startPrices` is called.
  if (symbols.length === 0) demandFor(context).noteFirst(Math.min(needed, MAX_ASSETS));
  const isListed = (one: string) => !isLower(market, one, null, context.gateway);
  for (const other of others) {
    if (symbols.length === 0 || likely.some(isListed)) noteInUse(other, context);
    if (symbols.length === 0) noteWanted(other, needed, context);
  }
}

/** The markets that have the selected prices in other currencies. */
export const otherMarkets = (market: Market, info: GraphQLResolveInfo): Market[] =>
  argumentsBelow(info, 'CryptoAsset', 'priceIn')
    .map(({ convert }) => convertCurrency.parse(convert))
    .filter((convert) => convert !== market.convert)
    .filter((convert) => convert !== 'USD' || !hasDollars(market))
    .map((convert) => ({ ...market, convert }));

/** Prefetches the selected prices in other currencies of assets that are loaded already. */
export function startPricesOf(assets: Assets, context: Context, info: GraphQLResolveInfo): void {
  const market = assets[0]?.market;
  if (!market || otherMarkets(market, info).length === 0) return;
  const symbols = assets.filter(({ isNamesake }) => !isNamesake).map(tickerOf);
  if (symbols.length === 0) return;
  notePrices(market, { symbols }, context, info);
  startPrices(market, { symbols }, context, info);
}
