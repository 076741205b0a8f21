import type { GraphQLResolveInfo } from 'graphql';
import type { Cached, Fetched } from '../../cache/cached.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { defineKeyedSet, defineSnapshot } from '../../graph/dataset.ts';
import { argumentsBelow, prefetch } from '../../graph/selection.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { combine } from '../../graph/provenance.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import { requestPath } from '../../upstream/endpoint.ts';
import {
  type AssetList,
  assetListOf,
  byRank,
  marketIn,
  marketKey,
  pricesTarget,
  type RankedAssets,
} from './asset-list.ts';
import {
  type CryptoAssetShape,
  type Market,
  MAX_ASSETS,
  pricesEndpoint,
  readConvert,
} from './records.ts';

/** The first 500 assets of each market by rank: one credit at most for each market. */
const firstByRank = defineSnapshot(({ settings }: Gateway) => ({
  name: 'crypto by rank',
  ttl: settings.ttl.crypto,
  endpoint: pricesEndpoint,
  keyOf: marketKey,
  keyIn: marketIn,
  target: (market) => pricesTarget(market),
  read: assetListOf,
}));

/** Assets that rank lower, asked for by their tickers; each market has prices of its own. */
const byTicker = defineKeyedSet(({ settings }: Gateway) => ({
  name: 'crypto by ticker',
  ttl: settings.ttl.crypto,
  endpoint: pricesEndpoint,
  maxNames: MAX_ASSETS,
  keyOf: marketKey,
  keyIn: marketIn,
  emptyBytes: (market) => requestPath(pricesTarget(market, [])).length,
  // With the comma before it, which is encoded, too.
  bytesOf: (symbol) => encodeURIComponent(symbol).length + 3,
  // An odd ticker may be refused, and with it all others of its request.
  mayShare: (symbol) => /^[A-Z0-9.$_-]{1,20}$/.test(symbol),
  target: pricesTarget,
  read(answer, market: Market): Fetched<AssetList['bySymbol']> {
    const { value, ...rest } = assetListOf(answer, market);
    return { ...rest, value: value.bySymbol };
  },
}));

/** One asset, null where there is none: among the first by rank, else asked for by its ticker. */
export function loadAsset(
  market: Market,
  symbol: string,
  context: Context,
): Maybe<Cached<CryptoAssetShape | null>> {
  // Found by its ticker before, it need not be looked for in the whole list.
  return whenReady(byTicker.cache(context.gateway).has(market, symbol), (wasFound) =>
    wasFound ? byTicker.load(market, symbol, context) : lookUp(market, symbol, context),
  );
}

/** One asset that has not been found by its ticker. */
function lookUp(
  market: Market,
  symbol: string,
  context: Context,
): Maybe<Cached<CryptoAssetShape | null>> {
  const first = firstByRank.load(market, context);
  if (first instanceof Promise) foreseeByTicker(market, symbol, context);
  return whenReady(first, (cached): Maybe<Cached<CryptoAssetShape | null>> => {
    const asset = cached.value.bySymbol.get(symbol);
    return asset ? { ...cached, value: asset } : byTicker.load(market, symbol, context);
  });
}

/** For a dry run: an asset that was not in the last list may have to be asked for by its ticker. */
function foreseeByTicker(market: Market, symbol: string, { gateway, operation }: Context): void {
  if (!operation.estimate) return;
  const last = firstByRank.cache(gateway).lastKnown(market);
  if (last?.value.bySymbol.has(symbol)) return;
  const kind = `crypto by ticker ${marketKey(market)}`;
  expectFollowUp(operation, kind, symbol, { meter: 'credits', together: MAX_ASSETS });
}

/**
 * The named assets in order of rank, as one list that is as old as its oldest part; without names
 * the first assets by rank.
 */
export function loadAssets(
  market: Market,
  symbols: readonly string[],
  context: Context,
): Maybe<Cached<RankedAssets>> {
  if (symbols.length === 0) return firstByRank.load(market, context);
  const parts = [...new Set(symbols)].map((symbol) => loadAsset(market, symbol, context));
  return whenReady(whenAll(parts), (assets) => {
    const all = assets.flatMap(({ value }) => value ?? []).toSorted(byRank);
    return combine(assets, { all });
  });
}

/** Asks for the other prices that are selected, while the assets themselves are on their way. */
export function startPrices(
  market: Market,
  symbols: readonly string[],
  context: Context,
  info: GraphQLResolveInfo,
): void {
  for (const { convert } of argumentsBelow(info, 'CryptoAsset', 'priceIn').map(readConvert))
    if (convert !== market.convert && convert !== 'USD')
      prefetch(() => loadAssets({ ...market, convert }, symbols, context));
}
