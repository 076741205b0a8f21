import type { GraphQLResolveInfo } from 'graphql';
import type { Cached } from '../../cache/cached.ts';
import type { Context } from '../../graph/context.ts';
import { combine } from '../../graph/provenance.ts';
import { namesBelow } from '../../graph/selection.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { noteFallback } from './arrivals.ts';
import { isAskedByTicker, isAskedInList, noteAsked } from './asked.ts';
import { allInDollars, type Assets } from './asset-list.ts';
import { bestOf, consistent } from './consistent.ts';
import { byTicker, freshCount, freshList, isUnusual, knownLists, wasListed } from './datasets.ts';
import { CURRENCIES, currencyInUse, noteInUse } from './in-use.ts';
import { laterThan } from './latest.ts';
import { catchUpMarket, noteWanted } from './lists.ts';
import {
  loadAssets,
  loadNamed,
  notePrices,
  otherMarkets,
  startPrices,
  startPricesOf,
  type Wanted,
} from './loaders.ts';
import type { Market } from './market.ts';
import { isFreshByTicker } from './one-asset.ts';
import { type CryptoAssetShape, MAX_ASSETS, tickerOf } from './records.ts';

/**
 * Answers in any currency have prices in dollars, too. If another currency is in use anyway, its answers also serve
 * clients that ask for dollars, which saves one request per time to live.
 */

/** Fields and orders that only answers in dollars can serve: their currency is not stated (spec section 2.7). */
const OWN_FIELDS = new Set(['volume24h', 'marketCap']);
const OWN_ORDERS = new Set(['VOLUME_24H', 'MARKET_CAP']);

/**
 * Returns a check of whether a fresh answer of the market itself tells of a ticker. The list is looked up only once,
 * since the check may be for hundreds of tickers.
 */
function freshNames(market: Market, context: Context): (symbol: string) => boolean {
  const listed = freshList(market, context)?.value.bySymbol;
  return (symbol) => listed?.has(symbol) || isFreshByTicker(market, symbol, context);
}

/** Whether fresh answers of the market itself have all that is wanted. */
function isFresh(
  market: Market,
  { symbols, needed = MAX_ASSETS }: Wanted,
  context: Context,
): boolean {
  if (symbols.length === 0) return freshCount(market, needed, context) !== undefined;
  return symbols.every(freshNames(market, context));
}

/** Whether no asset in the last answers about what is wanted lacked a dollar price. */
function hadDollars(market: Market, { symbols }: Wanted, { gateway }: Context): boolean {
  const list = knownLists(market, 0, gateway)[0]?.value;
  const { lastKnown } = byTicker.cache(gateway);
  const last =
    symbols.length === 0
      ? (list?.all ?? [])
      : symbols.map((one) => list?.bySymbol.get(one) ?? lastKnown({ market }, one)?.value);
  return last.every((asset) => asset?.priceUsd !== null);
}

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
  if (!isDollars(market) || needsOwn(info, order)) {
    noteAsked(market, wanted, context);
    return own();
  }
  const selected = isEmpty ? [] : otherMarkets(market, info).map(({ convert }) => convert);
  return whenReady(currencyInstead(market, wanted, context, selected), (convert) =>
    convert ? withPrices(loadConverted(market, convert, wanted, context)) : own(),
  );
}

/**
 * Whether dollar prices without an exchange or interval are wanted. For an answer about one of these, the spec does not
 * state whether `priceUsd` refers to it.
 */
const isDollars = ({ convert, exchange, interval }: Market): boolean =>
  convert === 'USD' && !exchange && !interval;

/** Whether a selected field, or the order, can only be served by an answer in dollars. */
const needsOwn = (info: GraphQLResolveInfo, order = ''): boolean =>
  OWN_ORDERS.has(order) || namesBelow(info).some((name) => OWN_FIELDS.has(name));

/**
 * Returns the currency whose answers serve for dollars: one that is fresh, else one in which prices of the same assets
 * are `selected`, else one that is in use; undefined to request dollars, or if they are requested anyway.
 */
function currencyInstead(
  market: Market,
  wanted: Wanted,
  context: Context,
  selected: readonly Market['convert'][],
): Maybe<Market['convert'] | undefined> {
  const marketIn = (convert: Market['convert']): Market => ({ ...market, convert });
  const others = CURRENCIES.filter((convert) => hadDollars(marketIn(convert), wanted, context));
  const findSelected = () => others.find((convert) => selected.includes(convert));
  const findFresh = () => others.find((convert) => isFresh(marketIn(convert), wanted, context));
  const fresh = findFresh();
  // A ticker that is refused is refused in dollars, too: the other tickers would be paid for in both currencies.
  if (wanted.symbols.some((one) => isUnusual(one) && !wasListed(market, one, context)))
    return fresh;
  /** Whether dollars are requested anyway; not counting a list, if another currency is asked for by the same tickers. */
  const areAsked = () =>
    isAskedByTicker(market, wanted, context) ||
    (!others.some((convert) => isAskedByTicker(marketIn(convert), wanted, context)) &&
      isAskedInList(market, wanted, context));
  // Fields that begin after this one may ask for another currency. Before its answer is paid for, prices that another
  // process has stored are used, in whichever currency.
  const inUse = async () => {
    await whenFieldsBegun(context.resources);
    await whenAll([market, ...others.map(marketIn)].map((one) => catchUpMarket(one, context)));
    if (isFresh(market, wanted, context)) return undefined;
    const known = findFresh();
    if (known || areAsked()) return known;
    return findSelected() ?? currencyInUse(others, context);
  };
  return fresh ?? inUse();
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
    if (!all) return own();
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
