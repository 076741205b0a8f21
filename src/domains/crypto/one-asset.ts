import type { Cached } from '../../cache/cached.ts';
import { type Context, type Gateway, oncePerOperation } from '../../graph/context.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { noteFallback } from './arrivals.ts';
import { findIn } from './asset-list.ts';
import { byTicker, knownRecords, longestList } from './datasets.ts';
import { demandFor } from './demand.ts';
import { latestFirst, orInstead, orOld } from './fallbacks.ts';
import { foreseeByTicker, foreseeList } from './foresee.ts';
import { currentList, listUnderWay, loadList } from './lists.ts';
import { grownCount, listOfAllComesSoon, maxAwaitedCount } from './list-lengths.ts';
import { type Market, marketKey } from './market.ts';
import { decideNarrow, noteLower } from './narrow.ts';
import { noteNeeded } from './needed.ts';
import { catchUpMarket, readRanking } from './other-processes.ts';
import { tickersKey } from './questions.ts';
import { type CryptoAssetShape, MAX_ASSETS } from './records.ts';

/** How a question about one asset is answered. */

type Asset = Cached<CryptoAssetShape | null>;

interface WantedAsset {
  market: Market;
  symbol: string;
  /** How many assets are asked for together, this one included. */
  together: number;
  context: Context;
}

/** Loads one asset, null if there is none, and notes the demand for it. */
export function loadAsset(market: Market, symbol: string, context: Context): Maybe<Asset> {
  demandFor(context).noteNames([symbol]);
  return findAsset(market, symbol, 1, context);
}

/** Loads one asset, null if there is none. `together`: how many assets are asked for together, this one included. */
export const findAsset = oncePerOperation(
  (market: Market, symbol: string, _together: number, _context: Context) =>
    `${symbol} ${marketKey(market)}`,
  beginAsset,
);

function beginAsset(
  market: Market,
  symbol: string,
  together: number,
  context: Context,
): Maybe<Asset> {
  const { gateway, operation } = context;
  const last = byTicker.cache(gateway).lastRecord({ market }, symbol);
  return whenReady(last, (asset) => {
    if (isLower(market, symbol, asset, gateway)) return loadLower(market, symbol, context);
    const found = lookUp({ market, symbol, together, context });
    return orOld(found, () => oldOf(market, symbol, gateway), operation);
  });
}

/**
 * Whether an asset need not be looked for in a list: the market's last list did not have it, else that of another
 * currency, in which ranks are the same; before the first list, the asset's last known rank decides.
 */
export function isLower(
  market: Market,
  symbol: string,
  asset: CryptoAssetShape | null,
  gateway: Gateway,
): boolean {
  const list = longestList(market, MAX_ASSETS, gateway);
  if (list) return !list.value.bySymbol.has(symbol);
  return asset !== null && (asset.rank ?? Infinity) > MAX_ASSETS;
}

/** Loads an asset that is not among the first by rank. Unless it is fresh, first reads what other processes have. */
function loadLower(market: Market, symbol: string, context: Context): Maybe<Asset> {
  const load = () => loadByTicker(market, symbol, context);
  if (isFreshByTicker(market, symbol, context)) return load();
  const isMissing = wasMissing(market, symbol, context);
  const asset = whenReady(catchUpMarket(market, context), load);
  if (!isMissing) noteLower(market, symbol, asset, context);
  return asset;
}

/**
 * Loads one asset by its ticker. `noRetry`: the request is not retried after a timeout. `maxAwaited`: the length up to
 * which a list that another process is requesting is awaited. The response is marked as a fallback (arrivals.ts), since
 * a list is preferred once one has come.
 */
function loadByTicker(
  market: Market,
  symbol: string,
  context: Context,
  { noRetry = false, maxAwaited = 0 } = {},
): Maybe<Asset> {
  const asset = byTicker.load({ market, noRetry, maxAwaited }, symbol, context);
  if (!noRetry) noteNeeded(context.gateway, tickersKey(market), asset);
  return whenReady(asset, (found) => noteFallback(found, market, context));
}

/** Returns all cached answers about an asset, however old they are, the latest first. */
const oldOf = (market: Market, symbol: string, gateway: Gateway): Asset[] =>
  latestFirst(knownRecords(market, gateway)(symbol));

/** Whether an answer about a ticker is fresh, even if it says that there is no such asset. */
export const isFreshByTicker = (
  market: Market,
  symbol: string,
  { gateway, operation }: Context,
): boolean => byTicker.cache(gateway).isFresh({ market }, symbol, operation);

/** Whether the last answer about a ticker had no such asset. */
export const wasMissing = (market: Market, symbol: string, { gateway }: Context): boolean =>
  oldOf(market, symbol, gateway)[0]?.value === null;

/**
 * Loads an asset that may be among the first by rank: from a list that is cached or in flight; else by its ticker, if
 * that is fresh or clients want few assets altogether; else from the list of all 500, if the line is fast enough.
 */
function lookUp(wanted: WantedAsset): Maybe<Asset> {
  const { market, symbol, context } = wanted;
  return whenReady(inCurrentList(wanted), (asset): Maybe<Asset> => {
    if (asset) return asset;
    if (isFreshByTicker(market, symbol, context)) return loadByTicker(market, symbol, context);
    const known = [catchUpMarket(market, context), readRanking(market, context)];
    return whenReady(whenAll(known), () =>
      whenReady(inCurrentList(wanted), (late): Maybe<Asset> => {
        if (late) return late;
        const isBelow = isLower(market, symbol, null, context.gateway);
        return isBelow ? loadByTicker(market, symbol, context) : requestAsset(wanted);
      }),
    );
  });
}

/** Looks an asset up in the current list; undefined if none is cached or in flight, or it has no such asset. */
function inCurrentList(wanted: WantedAsset): Maybe<Asset | undefined> {
  const { market, symbol, context } = wanted;
  const list = currentList(market, context);
  if (list instanceof Promise) {
    foreseeByTicker(market, symbol, context);
    // Once the list has come, the line may be known to be faster, and the list of all 500 is requested next.
    if (!listOfAllFits(wanted)) foreseeList(market, context);
  }
  return whenReady(list, (found) => found && findIn(found, symbol));
}

/** Requests an asset that the current list does not have. */
async function requestAsset(wanted: WantedAsset): Promise<Asset> {
  const { market, symbol, together, context } = wanted;
  const maxAwaited = maxAwaitedCount(context.gateway, together);
  const byItsTicker = () => loadByTicker(market, symbol, context, { maxAwaited });
  if (isFreshByTicker(market, symbol, context)) return byItsTicker();
  // Fields that begin after this one may ask for a list that has it, or for more new assets.
  await whenFieldsBegun(context.resources);
  const late = (await inCurrentList(wanted)) ?? (await inListUnderWay(wanted));
  if (late) return late;
  const prefersAll = listOfAllFits(wanted) || isListOfAllUseful(wanted);
  return !decideNarrow(market, context) && prefersAll ? outOfAll(wanted) : byItsTicker();
}

/**
 * Looks an asset up in a list that other operations wait for, if that comes hardly later than the asset alone would:
 * until the speed of the line is known, lists are short, and each asset asked for by its ticker would cost a credit.
 */
async function inListUnderWay({ market, symbol, together, context }: WantedAsset) {
  const max = maxAwaitedCount(context.gateway, together);
  const list = await Promise.resolve(listUnderWay(market, max, context)).catch(() => undefined);
  return list && !list.stale ? findIn(list, symbol) : undefined;
}

/** Whether the line is so fast that the list of all 500 comes hardly later than the wanted assets alone. */
const listOfAllFits = ({ together, context }: WantedAsset): boolean =>
  grownCount(context.gateway, together) === MAX_ASSETS;

/**
 * Whether the list of all 500 is worth waiting for once: no such list is known, and many assets are wanted. From then on
 * requests by ticker also ask for assets that nobody has asked for before, which saves as many requests.
 */
const isListOfAllUseful = ({ market, context }: WantedAsset): boolean =>
  demandFor(context).isWide() &&
  !longestList(market, MAX_ASSETS, context.gateway) &&
  listOfAllComesSoon(context.gateway);

/** Loads an asset from the list of all 500; by its ticker if that has no such asset, or does not come in time. */
function outOfAll(wanted: WantedAsset): Maybe<Asset> {
  const { market, symbol, context } = wanted;
  const list = loadList({ market, count: MAX_ASSETS, noRetry: true }, context);
  if (list instanceof Promise) foreseeByTicker(market, symbol, context);
  const found = whenReady(
    list,
    (cached) => findIn(cached, symbol) ?? loadByTicker(market, symbol, context),
  );
  const instead = () => loadByTicker(market, symbol, context, { noRetry: true });
  return orInstead(found, instead, () => listOfAllFits(wanted));
}
