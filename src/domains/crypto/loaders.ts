import type { GraphQLResolveInfo } from 'graphql';
import type { Cached } from '../../cache/cached.ts';
import type { Context } from '../../graph/context.ts';
import { defineKeyedSet, defineSnapshot } from '../../graph/dataset.ts';
import { argumentsBelow, prefetch } from '../../graph/selection.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { combine } from '../../graph/provenance.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import { requestPath } from '../../upstream/endpoint.ts';
import { type AssetList, assetListOf, byRank, marketKey, pricesTarget } from './asset-list.ts';
import {
  type CryptoAssetShape,
  type Market,
  MAX_ASSETS,
  pricesEndpoint,
  readConvert,
} from './records.ts';

/** The first 500 assets of each market by rank. */
const listed = defineSnapshot<Market, AssetList>(({ client, settings }) => ({
  ttl: settings.ttl.crypto,
  keyOf: marketKey,
  async fetch(market, operation) {
    const answer = await client.fetch(pricesEndpoint, () => pricesTarget(market), operation);
    return assetListOf(answer, market);
  },
}));

/** Assets that rank lower, asked for by their tickers; each market has prices of its own. */
const named = defineKeyedSet<Market, CryptoAssetShape>(({ client, settings }) => ({
  ttl: settings.ttl.crypto,
  maxNames: MAX_ASSETS,
  keyOf: marketKey,
  emptyBytes: (market) => requestPath(pricesTarget(market, [])).length,
  // With the comma before it, which is encoded, too.
  bytesOf: (symbol) => encodeURIComponent(symbol).length + 3,
  // An odd ticker may be refused, and with it all others of its request.
  mayShare: (symbol) => /^[A-Z0-9.$_-]{1,20}$/.test(symbol),
  async fetch(market, symbols, operation) {
    const target = () => pricesTarget(market, symbols());
    const answer = await client.fetch(pricesEndpoint, target, operation);
    const { value, ...rest } = assetListOf(answer, market);
    return { ...rest, value: value.bySymbol };
  },
}));

/** The first assets by rank: one credit at most for each market. */
function loadListed(market: Market, context: Context): Maybe<Cached<AssetList>> {
  return listed.load(market, context);
}

/** One asset, null where there is none: of the list if it is there, else asked for by its ticker. */
export function loadAsset(
  market: Market,
  symbol: string,
  context: Context,
): Maybe<Cached<CryptoAssetShape | null>> {
  // Found by its ticker before, it need not be looked for in the whole list.
  const isNamed = named.cache(context.gateway).has(market, symbol);
  if (isNamed) return named.load(market, symbol, context);
  const list = loadListed(market, context);
  if (list instanceof Promise) foreseeNamed(market, symbol, context);
  return whenReady(list, (assets): Maybe<Cached<CryptoAssetShape | null>> => {
    const asset = assets.value.bySymbol.get(symbol);
    return asset ? { ...assets, value: asset } : named.load(market, symbol, context);
  });
}

/** For a dry run: an asset that was not in the last list may have to be asked for by its ticker. */
function foreseeNamed(market: Market, symbol: string, { gateway, operation }: Context): void {
  if (!operation.estimate) return;
  const last = listed.cache(gateway).lastKnown(market);
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
): Maybe<Cached<AssetList>> {
  if (symbols.length === 0) return loadListed(market, context);
  const parts = [...new Set(symbols)].map((symbol) => loadAsset(market, symbol, context));
  return whenReady(whenAll(parts), (assets) => {
    const all = assets.flatMap(({ value }) => value ?? []).toSorted(byRank);
    return combine(assets, { all, bySymbol: new Map() });
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
