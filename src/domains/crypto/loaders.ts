import type { GraphQLResolveInfo } from 'graphql';
import type { Held } from '../../cache/cached.ts';
import type { Context } from '../../graph/context.ts';
import { defineKeyedSet, defineSnapshot, fetched } from '../../graph/dataset.ts';
import { argumentsBelow, startEarly } from '../../graph/lookahead.ts';
import { type Maybe, whenAll, whenReady } from '../../graph/maybe.ts';
import { combine } from '../../graph/provenance.ts';
import { foresee } from '../../usage/estimate.ts';
import { type Book, bookOf, byRank, marketKey, pricesTarget } from './book.ts';
import {
  type CryptoAssetShape,
  type Market,
  MAX_ASSETS,
  pricesEndpoint,
  readConvert,
} from './records.ts';

/** The first 500 assets of each market by rank. */
const listed = defineSnapshot<Market, Book>(({ client, settings }) => ({
  ttl: settings.ttl.crypto,
  keyOf: marketKey,
  async fetch(market, operation) {
    const answer = await client.fetch(pricesEndpoint, () => pricesTarget(market), operation);
    return fetched(answer, bookOf(answer, market));
  },
}));

/** Assets that rank lower, asked for by their tickers; each market has prices of its own. */
const named = defineKeyedSet<Market, CryptoAssetShape>(({ client, settings }) => ({
  ttl: settings.ttl.crypto,
  maxNames: MAX_ASSETS,
  keyOf: marketKey,
  // An odd ticker may be refused, and with it all others of its request.
  mayShare: (symbol) => /^[A-Z0-9.$_-]{1,20}$/.test(symbol),
  async fetch(market, symbols, operation) {
    const target = () => pricesTarget(market, symbols());
    const answer = await client.fetch(pricesEndpoint, target, operation);
    return fetched(answer, bookOf(answer, market).bySymbol);
  },
}));

/** The first assets by rank: one credit at most for each market. */
function loadListed(market: Market, context: Context): Maybe<Held<Book>> {
  return listed.load(market, context);
}

/** One asset, null where there is none: of the list if it is there, else asked for by its ticker. */
export function loadAsset(
  market: Market,
  symbol: string,
  context: Context,
): Maybe<Held<CryptoAssetShape | null>> {
  // Found by its ticker before, it need not be looked for in the whole list.
  const isNamed = named.cache(context.gateway).has(market, symbol);
  if (isNamed) return named.load(market, symbol, context);
  const list = loadListed(market, context);
  if (list instanceof Promise) foreseeNamed(market, symbol, context);
  return whenReady(list, (book): Maybe<Held<CryptoAssetShape | null>> => {
    const asset = book.value.bySymbol.get(symbol);
    return asset ? { ...book, value: asset } : named.load(market, symbol, context);
  });
}

/** For a dry run: an asset that was not in the last list may have to be asked for by its ticker. */
function foreseeNamed(market: Market, symbol: string, { gateway, operation }: Context): void {
  if (!operation.estimate) return;
  const last = listed.cache(gateway).lastKnown(market);
  if (last?.value.bySymbol.has(symbol)) return;
  const kind = `crypto by ticker ${marketKey(market)}`;
  foresee(operation, kind, symbol, { meter: 'credits', together: MAX_ASSETS });
}

/**
 * The named assets in order of rank, as one list that is as old as its oldest part; without names
 * the first assets by rank.
 */
export function loadAssets(
  market: Market,
  symbols: readonly string[],
  context: Context,
): Maybe<Held<Book>> {
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
      startEarly(() => loadAssets({ ...market, convert }, symbols, context));
}
