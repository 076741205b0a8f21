import { createContextCache } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { type Cached, serveStale } from '../../cache/cached.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { argumentsBelow, prefetch } from '../../graph/selection.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { combine } from '../../graph/provenance.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import type { Operation } from '../../usage/operation.ts';
import { isTimeout } from '../../upstream/errors.ts';
import { type AssetList, byRank, marketKey, type RankedAssets } from './asset-list.ts';
import { byTicker, countsFrom, firstByRank, grownCount } from './datasets.ts';
import { type CryptoAssetShape, type Market, MAX_ASSETS, readConvert } from './records.ts';

/**
 * How a question about crypto assets is answered. The 500 first by rank cost what one asset costs, so they
 * are asked for whatever is wanted, unless the line is so slow that this would take much longer.
 */

type Asset = Cached<CryptoAssetShape | null>;

/** The lists that an operation has asked for, by market. */
const listsOf = createContextCache(
  (_context: Context) => new Map<string, Maybe<Cached<AssetList>>>(),
);

/** One asset, null where there is none. `together`: how many are asked for with it. */
export function loadAsset(
  market: Market,
  symbol: string,
  context: Context,
  together = 1,
): Maybe<Asset> {
  const last = byTicker.cache(context.gateway).lastValue({ market }, symbol);
  return whenReady(last, (asset) =>
    // No list has it: it need not be looked for there.
    asset && (asset.rank ?? Infinity) > MAX_ASSETS
      ? byTicker.load({ market }, symbol, context)
      : lookUp(market, symbol, context, together),
  );
}

/** One asset that may be among the first by rank. */
function lookUp(market: Market, symbol: string, context: Context, together: number): Maybe<Asset> {
  const { gateway, operation } = context;
  const alone = (asksOnce: boolean) =>
    orOld(
      byTicker.load({ market, asksOnce }, symbol, context),
      () => inLists(market, 0, gateway).flatMap((list) => findIn(list, symbol) ?? []),
      operation,
    );
  const fits = () => grownCount(gateway, together) === MAX_ASSETS;
  const inList = listOf(market, context);
  const listed = inList && whenReady(inList, (list) => findIn(list, symbol));
  return whenReady(listed, (asset): Maybe<Asset> => {
    if (asset) return asset;
    const isKnown = byTicker.cache(gateway).isFresh({ market }, symbol, operation);
    if (isKnown || !fits()) return alone(false);
    const all = firstByRank.load({ market, count: MAX_ASSETS, asksOnce: true }, context);
    if (all instanceof Promise) foreseeByTicker(market, symbol, context);
    const found = whenReady(all, (list) => findIn(list, symbol) ?? alone(false));
    return orInstead(found, () => alone(true), fits);
  });
}

/** The longest list of a market that is fresh, or that the operation has asked for. */
function listOf(market: Market, context: Context): Maybe<Cached<AssetList>> | undefined {
  const cache = firstByRank.cache(context.gateway);
  const fresh = countsFrom(0).findLast((count) =>
    cache.isFresh({ market, count }, context.operation),
  );
  if (fresh === undefined) return listsOf(context).get(marketKey(market));
  return firstByRank.load({ market, count: fresh }, context);
}

function findIn(list: Cached<AssetList>, symbol: string): Asset | undefined {
  const value = list.value.bySymbol.get(symbol);
  return value && { ...list, value };
}

/** For a dry run: an asset that was not in the last list may have to be asked for by its ticker. */
function foreseeByTicker(market: Market, symbol: string, { gateway, operation }: Context): void {
  if (!operation.estimate) return;
  const last = firstByRank.cache(gateway).lastKnown({ market, count: MAX_ASSETS });
  if (last?.value.bySymbol.has(symbol)) return;
  const kind = `crypto by ticker ${marketKey(market)}`;
  expectFollowUp(operation, kind, symbol, { meter: 'credits', together: MAX_ASSETS });
}

/** What `grown` brings, or what is asked instead where that was so much that it did not come in time. */
async function timely<T>(
  grown: Promise<Cached<T>>,
  instead: () => Maybe<Cached<T>>,
  stillFits: () => boolean,
): Promise<Cached<T>> {
  const found = await grown.catch((error: unknown) => {
    if (!isTimeout(error)) throw error;
  });
  if (!found) return instead();
  return !found.stale || stillFits() ? found : instead();
}

const orInstead = <T>(
  grown: Maybe<Cached<T>>,
  instead: () => Maybe<Cached<T>>,
  stillFits: () => boolean,
): Maybe<Cached<T>> => (grown instanceof Promise ? timely(grown, instead, stillFits) : grown);

/** The lists of a market with so many assets at least, however old they are: the longest first. */
function inLists(market: Market, needed: number, gateway: Gateway): Cached<AssetList>[] {
  const { lastKnown } = firstByRank.cache(gateway);
  return countsFrom(needed)
    .toReversed()
    .flatMap((count) => lastKnown({ market, count }) ?? []);
}

/** What is loaded, or old data of another list where that fails. */
function orOld<T>(
  loading: Maybe<Cached<T>>,
  old: () => readonly Cached<T>[],
  operation: Operation,
): Maybe<Cached<T>> {
  if (!(loading instanceof Promise)) return loading;
  return loading.catch((error: unknown) => serveStale(old()[0], error, operation));
}

/** The first assets by rank: so many of them, and perhaps more. */
function loadFirst(market: Market, needed: number, context: Context): Maybe<Cached<AssetList>> {
  const { gateway, operation } = context;
  const enough = countsFrom(needed);
  const cache = firstByRank.cache(gateway);
  const fresh = enough.findLast((count) => cache.isFresh({ market, count }, operation));
  const least = enough[0]!;
  const grown = Math.max(least, grownCount(gateway, needed));
  const load = (count: number, isGrown: boolean) =>
    firstByRank.load({ market, count, asksOnce: isGrown }, context);
  const narrow = (isInstead: boolean) =>
    orOld(load(least, isInstead), () => inLists(market, needed, gateway), operation);
  if (fresh !== undefined) return load(fresh, false);
  if (grown === least) return narrow(false);
  return orInstead(
    load(grown, true),
    () => narrow(true),
    () => grownCount(gateway, needed) >= grown,
  );
}

/**
 * The named assets in order of rank, as one list that is as old as its oldest part; without names the
 * first assets by rank, `needed` of them at least.
 */
export function loadAssets(
  market: Market,
  { symbols, needed = MAX_ASSETS }: { symbols: readonly string[]; needed?: number },
  context: Context,
): Maybe<Cached<RankedAssets>> {
  if (symbols.length === 0) {
    const list = loadFirst(market, needed, context);
    listsOf(context).set(marketKey(market), list);
    return list;
  }
  const names = [...new Set(symbols)];
  const parts = names.map((symbol) => loadAsset(market, symbol, context, names.length));
  return whenReady(whenAll(parts), (assets) => {
    const all = assets.flatMap(({ value }) => value ?? []).toSorted(byRank);
    return combine(assets, { all });
  });
}

/** Asks for the other prices that are selected, while the assets themselves are on their way. */
export function startPrices(
  market: Market,
  asked: { symbols: readonly string[]; needed?: number },
  context: Context,
  info: GraphQLResolveInfo,
): void {
  for (const { convert } of argumentsBelow(info, 'CryptoAsset', 'priceIn').map(readConvert))
    if (convert !== market.convert && convert !== 'USD')
      prefetch(() => loadAssets({ ...market, convert }, asked, context));
}
