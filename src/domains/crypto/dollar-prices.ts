import type { GraphQLResolveInfo } from 'graphql';
import type { Cached } from '../../cache/cached.ts';
import type { Context } from '../../graph/context.ts';
import { combine } from '../../graph/provenance.ts';
import { namesBelow } from '../../graph/selection.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { noteFallback } from './arrivals.ts';
import { noteAsked } from './asked.ts';
import { allInDollars, type Assets } from './asset-list.ts';
import { bestOf, consistent } from './consistent.ts';
import { dollarSource, freshNames, isFresh } from './dollar-source.ts';
import { noteInUse } from './in-use.ts';
import { laterThan } from './latest.ts';
import { noteWanted } from './lists.ts';
import {
  loadAssets,
  loadNamed,
  notePrices,
  otherMarkets,
  startPrices,
  startPricesOf,
  type Wanted,
} from './loaders.ts';
import { hasDollars, type Market } from './market.ts';
import { type CryptoAssetShape, MAX_ASSETS, tickerOf } from './records.ts';

/**
 * Answers in any currency have prices in dollars, too. If another currency is in use anyway, its answers also serve
 * clients that ask for dollars, which saves one request per time to live.
 */

/** Fields and orders that only answers in dollars can serve: their currency is not stated (spec section 2.7). */
const OWN_FIELDS = new Set(['volume24h', 'marketCap']);
const OWN_ORDERS = new Set(['VOLUME_24H', 'MARKET_CAP']);

interface PricedOptions {
  info: GraphQLResolveInfo;
  order?: string | undefined;
  /** Whether none of the assets is shown, so that their other prices are not needed. */
  isEmpty?: boolean;
}

/** Loads what `loadAssets` does, but may take dollar prices from another currency; prefetches the selected prices. */
export function loadPriced(
  market: Market,
  wanted: Wanted,
  context: Context,
  { info, order, isEmpty = false }: PricedOptions,
): Maybe<Cached<Assets>> {
  /** Starts the other prices only now: if few units are left, they are for the assets, without which no price shows. */
  const withPrices = (assets: Maybe<Cached<Assets>>) => {
    if (assets instanceof Promise && !isEmpty) startPrices(market, wanted, context, info);
    return assets;
  };
  const own = () => withPrices(loadAssets(market, wanted, context));
  noteInUse(market, context);
  if (isFresh(market, wanted, context)) return own();
  if (wanted.symbols.length === 0) noteWanted(market, wanted.needed ?? MAX_ASSETS, context);
  if (!isEmpty) notePrices(market, wanted, context, info);
  if (!isDollars(market)) return own();
  if (needsOwn(info, order)) {
    noteAsked(wanted, context);
    return own();
  }
  const selected = isEmpty ? [] : otherMarkets(market, info).map(({ convert }) => convert);
  return whenReady(dollarSource(market, wanted, context, selected), ({ convert, orElse }) => {
    if (convert) return withPrices(loadConverted(market, convert, wanted, context));
    return orElse ? withPrices(loadAskedAnyway(market, orElse, wanted, context)) : own();
  });
}

/** Whether prices are wanted that answers in other currencies have, too. */
const isDollars = (market: Market): boolean => market.convert === 'USD' && hasDollars(market);

/** Whether a selected field, or the order, can only be served by an answer in dollars. */
const needsOwn = (info: GraphQLResolveInfo, order = ''): boolean =>
  OWN_ORDERS.has(order) || namesBelow(info).some((name) => OWN_FIELDS.has(name));

/**
 * Loads dollars that are requested anyway. If that fails, `orElse` is tried, whose last answer may be later; a dry run
 * takes no fallback.
 */
function loadAskedAnyway(
  market: Market,
  orElse: Market['convert'],
  wanted: Wanted,
  context: Context,
): Maybe<Cached<Assets>> {
  const found = loadAssets(market, wanted, context);
  if (!(found instanceof Promise) || context.operation.estimate) return found;
  const converted = () => loadConverted(market, orElse, wanted, context);
  return found.then((own) => (own.stale ? converted() : own), converted);
}

/** Loads dollar prices from answers in another currency; if that does not work, from the market's own answers. */
function loadConverted(
  market: Market,
  convert: Market['convert'],
  wanted: Wanted,
  context: Context,
): Maybe<Cached<Assets>> {
  const own = () => loadAssets(market, wanted, context);
  const found = whenReady(loadAssets({ ...market, convert }, wanted, context), (cached) => {
    const all = allInDollars(cached.value);
    // A list without assets in another currency says nothing about those in dollars.
    const isNothing = all?.length === 0 && wanted.symbols.length === 0;
    if (!all || isNothing) return own();
    return preferOwn(noteFallback({ ...cached, value: all }, market, context), market, context);
  });
  // A dry run takes no fallback: a request that is not sent has not failed.
  return found instanceof Promise && !context.operation.estimate ? found.catch(own) : found;
}

/**
 * Prefers assets of answers in dollars: fresh ones and, while the upstream fails, any that came later than `found`.
 * They may have been shown before, and prices must not go back to older ones.
 */
function preferOwn(found: Cached<Assets>, market: Market, context: Context): Maybe<Cached<Assets>> {
  if (found.stale) {
    const latest = bestOf([found.value], laterThan(found, market, context));
    return { ...found, value: latest(found.value) };
  }
  const named = found.value.filter(({ isNamesake }) => !isNamesake);
  const symbols = named.map(tickerOf).filter(freshNames(market, context));
  if (symbols.length === 0) return found;
  return whenReady(loadNamed(market, symbols, context), (own) => {
    const best = bestOf([found.value, own.value]);
    return combine([found, own], best(found.value));
  });
}

/** Loads one asset with its selected prices; null if there is none. */
export function loadOnePriced(
  market: Market,
  ticker: string,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<CryptoAssetShape | null> {
  const wanted = { symbols: [ticker] };
  const assets = loadPriced(market, wanted, context, { info });
  const startBelow = ({ value }: Cached<Assets>) => startPricesOf(value, context, info);
  const shown = consistent(assets, context, info, startBelow);
  return whenReady(shown, ({ value }) => value[0] ?? null);
}
