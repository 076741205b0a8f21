import type { GraphQLResolveInfo } from 'graphql';
import type { Cached } from '../../cache/cached.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { argumentsBelow, prefetch } from '../../graph/selection.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { combine } from '../../graph/provenance.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import { noteSecondChoice } from './arrivals.ts';
import { type AssetList, byRank, marketKey, type RankedAssets } from './asset-list.ts';
import { byTicker, firstByRank, grownCount } from './datasets.ts';
import { demandFor, withMargin } from './demand.ts';
import {
  freshCount,
  knownLists,
  latestFirst,
  listOf,
  loadList,
  loadRanked,
  orInstead,
  orOld,
} from './lists.ts';
import {
  type CryptoAssetShape,
  type Market,
  MAX_ASSETS,
  pricesEndpoint,
  readConvert,
  tickerOf,
} from './records.ts';

/**
 * How a question about crypto assets is answered. The 500 first by rank cost what one asset costs, so they are asked
 * for whatever is wanted; unless few assets are wanted by all, for which one list by ticker does, or the line
 * is so slow that this would take much longer.
 */

type Asset = Cached<CryptoAssetShape | null>;

/** Assets by their tickers; without any the first by rank, `needed` of them at least. */
export interface Wanted {
  symbols: readonly string[];
  needed?: number;
}

/** One asset, null where there is none. */
export function loadAsset(market: Market, symbol: string, context: Context): Maybe<Asset> {
  demandFor(context).noteNames([symbol]);
  return findAsset(market, symbol, context, 1);
}

/** `together`: how many are asked for with it. */
function findAsset(
  market: Market,
  symbol: string,
  context: Context,
  together: number,
): Maybe<Asset> {
  const last = byTicker.cache(context.gateway).lastValue({ market }, symbol);
  const { gateway, operation } = context;
  return whenReady(last, (asset) => {
    // No list has it: it need not be looked for there.
    if (asset && (asset.rank ?? Infinity) > MAX_ASSETS)
      return byTicker.load({ market }, symbol, context);
    const found = lookUp(market, symbol, context, together);
    return orOld(found, () => oldOf(market, symbol, gateway), operation);
  });
}

/** One asset by its ticker, until a fresh list has it. */
function loadByTicker(
  market: Market,
  symbol: string,
  context: Context,
  asksOnce: boolean,
): Maybe<Asset> {
  return whenReady(byTicker.load({ market, asksOnce }, symbol, context), (found) =>
    noteSecondChoice(found, market, context),
  );
}

/** What is known of an asset, however old it is: the latest first. */
function oldOf(market: Market, symbol: string, gateway: Gateway): Asset[] {
  const byItself = byTicker.cache(gateway).lastKnown({ market }, symbol);
  const inLists = knownLists(market, 0, gateway).flatMap((list) => findIn(list, symbol) ?? []);
  return latestFirst(byItself ? [byItself, ...inLists] : inLists);
}

/**
 * One asset that may be among the first by rank: out of a list that is here or under way; else by its ticker, where
 * that is fresh or few assets are wanted by all; else out of the list of all 500, if the line is fast enough.
 */
function lookUp(market: Market, symbol: string, context: Context, together: number): Maybe<Asset> {
  const { gateway, operation } = context;
  const alone = (asksOnce: boolean) => loadByTicker(market, symbol, context, asksOnce);
  const fits = () => grownCount(gateway, together) === MAX_ASSETS;
  const inList = listOf(market, context);
  if (inList instanceof Promise) foreseeByTicker(market, symbol, context);
  const listed = inList && whenReady(inList, (list) => findIn(list, symbol));
  return whenReady(listed, (asset): Maybe<Asset> => {
    if (asset) return asset;
    const isKnown = byTicker.cache(gateway).isFresh({ market }, symbol, operation);
    if (isKnown || isNarrow(market, context)) return alone(false);
    return whenReady(gateway.client.line(pricesEndpoint).ready(), () => {
      if (!fits()) return alone(false);
      const all = loadList(market, MAX_ASSETS, context, true);
      if (all instanceof Promise) foreseeByTicker(market, symbol, context);
      const found = whenReady(all, (list) => findIn(list, symbol) ?? alone(false));
      return orInstead(found, () => alone(true), fits);
    });
  });
}

/** Whether an asset is in a list that is fresh. */
export function isIn(market: Market, symbol: string, context: Context): boolean {
  const count = freshCount(market, 0, context);
  if (count === undefined) return false;
  const list = firstByRank.cache(context.gateway).lastKnown({ market, count });
  return list?.value.bySymbol.has(symbol) ?? false;
}

function findIn(list: Cached<AssetList>, symbol: string): Asset | undefined {
  const value = list.value.bySymbol.get(symbol);
  return value && { ...list, value };
}

/** Whether one list by ticker is asked for next. */
function isNarrow(market: Market, context: Context): boolean {
  if (freshCount(market, MAX_ASSETS, context) !== undefined) return false;
  return demandFor(context).narrow() !== undefined;
}

/** For a dry run: an asset that was not in the last list may have to be asked for by its ticker. */
function foreseeByTicker(market: Market, symbol: string, { gateway, operation }: Context): void {
  if (!operation.estimate) return;
  const last = firstByRank.cache(gateway).lastKnown({ market, count: MAX_ASSETS });
  if (last?.value.bySymbol.has(symbol)) return;
  const kind = `crypto by ticker ${marketKey(market)}`;
  expectFollowUp(operation, kind, symbol, { meter: 'credits', together: MAX_ASSETS });
}

/** The first assets by rank: so many of them, and perhaps more. */
function loadFirst(market: Market, needed: number, context: Context): Maybe<Cached<RankedAssets>> {
  const { gateway } = context;
  const demand = demandFor(context);
  demand.noteFirst(Math.min(needed, MAX_ASSETS));
  const all = () => loadRanked(market, needed, context);
  const isHere = freshCount(market, needed, context) !== undefined;
  const [last] = knownLists(market, needed, gateway);
  if (isHere || !last || !isNarrow(market, context)) return all();
  const names = last.value.all.slice(0, withMargin(needed)).map(tickerOf);
  return whenReady(loadNamed(market, names, context), (found) => {
    const known = withoutGaps(found.value.all);
    if (known.length >= needed) return { ...found, value: { all: known } };
    demand.noteMiss();
    return all();
  });
}

/** The best ranks, as far as none is missing. */
function withoutGaps(assets: readonly CryptoAssetShape[]): readonly CryptoAssetShape[] {
  const gap = assets.findIndex(({ rank }, i) => rank !== i + 1);
  return gap < 0 ? assets : assets.slice(0, gap);
}

function loadNamed(
  market: Market,
  symbols: readonly string[],
  context: Context,
): Maybe<Cached<RankedAssets>> {
  const names = [...new Set(symbols)];
  const parts = names.map((symbol) => findAsset(market, symbol, context, names.length));
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
