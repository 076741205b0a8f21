import { createContextCache } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Held } from '../../cache/held.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { openSnapshot, snapshotLoader, taken } from '../../graph/dataset.ts';
import { createLoader } from '../../graph/loader.ts';
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
import { openTail } from './tail.ts';

/** The first 500 assets of each market. */
const heads = createContextCache((gateway: Gateway) =>
  openSnapshot<Market, Book>(gateway, 'crypto', {
    ttl: gateway.settings.ttl.crypto,
    keyOf: marketKey,
    async fetch(market, operation) {
      const target = () => pricesTarget(market);
      const answer = await gateway.client.fetch(pricesEndpoint, target, operation);
      return taken(answer, bookOf(answer, market));
    },
  }),
);

const tails = createContextCache(openTail);

/** What the tail's requests cost, and how many symbols share one. */
const TAIL = { meter: 'credits', together: MAX_ASSETS } as const;

const headLoader = createContextCache((context: Context) =>
  snapshotLoader(heads(context.gateway), marketKey, context),
);

interface Wanted {
  market: Market;
  symbol: string;
}

const tailLoader = createContextCache(({ gateway, operation }: Context) => {
  const tail = tails(gateway);
  return createLoader({
    operation,
    keyOf: ({ market, symbol }: Wanted) => `${marketKey(market)} ${symbol}`,
    read: ({ market, symbol }) => tail.read(market, symbol, operation),
    async batch(wants) {
      const groups = [...Map.groupBy(wants, ({ market }) => marketKey(market)).values()];
      const loaded = await Promise.all(
        groups.map((group) =>
          tail.load(
            group[0]!.market,
            group.map(({ symbol }) => symbol),
            operation,
          ),
        ),
      );
      const found = new Map(
        groups.flatMap((group, g) => group.map((want, i) => [want, loaded[g]![i]!])),
      );
      return wants.map((want) => found.get(want)!);
    },
  });
});

/** The first assets by rank: one credit at most for each market. */
function loadBook(market: Market, context: Context): Maybe<Held<Book>> {
  return headLoader(context)(market);
}

/** One asset, null where there is none: of the list if it is there, else asked for by its symbol. */
export function loadAsset(
  market: Market,
  symbol: string,
  context: Context,
): Maybe<Held<CryptoAssetShape | null>> {
  const loadTail = tailLoader(context);
  if (tails(context.gateway).has(market, symbol)) return loadTail({ market, symbol });
  const book = loadBook(market, context);
  if (book instanceof Promise && !isListed(market, symbol, context))
    foresee(context.operation, `crypto tail ${marketKey(market)}`, symbol, TAIL);
  return whenReady(book, (head): Maybe<Held<CryptoAssetShape | null>> => {
    const asset = head.value.bySymbol.get(symbol);
    return asset ? { ...head, value: asset } : loadTail({ market, symbol });
  });
}

/**
 * Assets that have long been among the first 500: a dry run on an empty cache takes it that they still
 * are. Nothing but the price it tells depends on it.
 */
const ALWAYS_LISTED = new Set([
  'BTC',
  'ETH',
  'USDT',
  'BNB',
  'XRP',
  'USDC',
  'SOL',
  'TRX',
  'DOGE',
  'ADA',
]);

/** Whether the list is expected to hold the asset: it did before, or always does. */
function isListed(market: Market, symbol: string, { gateway }: Context): boolean {
  return (
    ALWAYS_LISTED.has(symbol) || Boolean(heads(gateway).old(market)?.value.bySymbol.has(symbol))
  );
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
  if (symbols.length === 0) return loadBook(market, context);
  const parts = [...new Set(symbols)].map((symbol) => loadAsset(market, symbol, context));
  return whenReady(whenAll(parts), (held) => {
    const all = held.flatMap(({ value }) => value ?? []).toSorted(byRank);
    return combine(held, { all, bySymbol: new Map() });
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
