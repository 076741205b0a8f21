import type { Cached } from '../../cache/cached.ts';
import { type Context, type Gateway, oncePerOperation } from '../../graph/context.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { expectedCost } from '../../upstream/payment.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import { noteSecondChoice } from './arrivals.ts';
import { type AssetList, marketKey } from './asset-list.ts';
import { byTicker, firstByRank, grownCount, noteNeeded, tickersKey } from './datasets.ts';
import { demandFor } from './demand.ts';
import {
  catchUpMarket,
  freshCount,
  knownLists,
  latestFirst,
  listOf,
  loadList,
  orInstead,
  orOld,
} from './lists.ts';
import { type CryptoAssetShape, type Market, MAX_ASSETS, pricesEndpoint } from './records.ts';

/** How a question about one asset is answered. */

type Asset = Cached<CryptoAssetShape | null>;

/** One asset, null where there is none. */
export function loadAsset(market: Market, symbol: string, context: Context): Maybe<Asset> {
  demandFor(context).noteNames([symbol]);
  return findAsset(market, symbol, 1, context);
}

/** `together`: how many are asked for with it. */
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
  const last = byTicker.cache(context.gateway).lastValue({ market }, symbol);
  const { gateway, operation } = context;
  return whenReady(last, (asset) => {
    if (isLower(market, symbol, asset, gateway)) return loadLower(market, symbol, context);
    const found = lookUp(market, symbol, context, together);
    return orOld(found, () => oldOf(market, symbol, gateway), operation);
  });
}

/** Whether an asset need not be looked for in a list: the last one did not have it; before the first one its rank tells. */
function isLower(
  market: Market,
  symbol: string,
  asset: CryptoAssetShape | null,
  gateway: Gateway,
): boolean {
  const list = firstByRank.cache(gateway).lastKnown({ market, count: MAX_ASSETS });
  if (list) return !list.value.bySymbol.has(symbol);
  return asset !== null && (asset.rank ?? Infinity) > MAX_ASSETS;
}

/** One asset that is not among the first. What other processes have is taken first, unless it is fresh here. */
function loadLower(market: Market, symbol: string, context: Context): Maybe<Asset> {
  const load = () => loadByTicker(market, symbol, context, false);
  const isFresh = isFreshByTicker(market, symbol, context);
  return isFresh ? load() : whenReady(catchUpMarket(market, context), load);
}

/** One asset by its ticker. A list is preferred once one has come: the response is marked as a fallback (arrivals.ts). */
function loadByTicker(
  market: Market,
  symbol: string,
  context: Context,
  asksOnce: boolean,
): Maybe<Asset> {
  const asset = byTicker.load({ market, asksOnce }, symbol, context);
  if (!asksOnce) noteNeeded(context.gateway, tickersKey(market), asset);
  return whenReady(asset, (found) => noteSecondChoice(found, market, context));
}

/** What is known of an asset, however old it is: the latest first. */
function oldOf(market: Market, symbol: string, gateway: Gateway): Asset[] {
  const byItself = byTicker.cache(gateway).lastKnown({ market }, symbol);
  const inLists = knownLists(market, 0, gateway).flatMap((list) => findIn(list, symbol) ?? []);
  return latestFirst(byItself ? [byItself, ...inLists] : inLists);
}

/** Whether an answer about a ticker is fresh, be it that there is no such asset. */
export const isFreshByTicker = (
  market: Market,
  symbol: string,
  { gateway, operation }: Context,
): boolean => byTicker.cache(gateway).isFresh({ market }, symbol, operation);

/** Whether the last answer about a ticker had no such asset. */
export const wasMissing = (market: Market, symbol: string, { gateway }: Context): boolean =>
  oldOf(market, symbol, gateway)[0]?.value === null;

/**
 * One asset that may be among the first by rank: out of a list that is here or under way; else by its ticker, where
 * that is fresh or few assets are wanted by all; else out of the list of all 500, if the line is fast enough.
 */
function lookUp(market: Market, symbol: string, context: Context, together: number): Maybe<Asset> {
  const { gateway } = context;
  const alone = (asksOnce: boolean) => loadByTicker(market, symbol, context, asksOnce);
  const fits = () => grownCount(gateway, together) === MAX_ASSETS;
  const listed = () => {
    const inList = listOf(market, context);
    if (inList instanceof Promise) {
      foreseeByTicker(market, symbol, context);
      // Once it has come the line may be known to be faster, and the list of all is asked for next.
      if (!fits()) foreseeList(market, context);
    }
    return inList && whenReady(inList, (list) => findIn(list, symbol));
  };
  const isKnown = () => isFreshByTicker(market, symbol, context);
  const all = (): Maybe<Asset> => {
    const list = loadList(market, MAX_ASSETS, context, true);
    if (list instanceof Promise) foreseeByTicker(market, symbol, context);
    const found = whenReady(list, (cached) => findIn(cached, symbol) ?? alone(false));
    return orInstead(found, () => alone(true), fits);
  };
  const bring = (): Maybe<Asset> => {
    if (isKnown() || isNarrow(market, context)) return alone(false);
    if (fits()) return all();
    // Fields that begin after this one may ask for a list that has it.
    return whenFieldsBegun(context.resources)
      .then(listed)
      .then((late) => late ?? (fits() ? all() : alone(false)));
  };
  return whenReady(listed(), (asset): Maybe<Asset> => {
    if (asset) return asset;
    if (isKnown()) return alone(false);
    return whenReady(catchUpMarket(market, context), () =>
      whenReady(listed(), (late) => late ?? bring()),
    );
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
export function isNarrow(market: Market, context: Context): boolean {
  if (freshCount(market, MAX_ASSETS, context) !== undefined) return false;
  const demand = demandFor(context);
  // Before the first list of this process, the last one of those that share with it does.
  const [list] = demand.isRanked() ? [] : knownLists(market, MAX_ASSETS, context.gateway);
  if (list) demand.noteRanking(list.value.all);
  return demand.narrow() !== undefined;
}

/** For a dry run: a list may be asked for once others have come. */
export function foreseeList(market: Market, { gateway, operation }: Context): void {
  const cost = expectedCost(gateway.ledger, pricesEndpoint);
  const kind = `crypto by rank ${marketKey(market)}`;
  expectFollowUp(operation, kind, 'all', { meter: 'credits', cost });
}

/** Assets of better ranks are taken to be in the next list where they were in the last one. */
const SURE_RANK = 0.9 * MAX_ASSETS;

/** For a dry run: an asset that may not be in the next list is asked for by its ticker then. */
export function foreseeByTicker(
  market: Market,
  symbol: string,
  { gateway, operation }: Context,
): void {
  if (!operation.estimate) return;
  const last = firstByRank.cache(gateway).lastKnown({ market, count: MAX_ASSETS });
  const rank = last?.value.bySymbol.get(symbol)?.rank ?? Infinity;
  if (rank <= SURE_RANK) return;
  const kind = `crypto by ticker ${marketKey(market)}`;
  const cost = expectedCost(gateway.ledger, pricesEndpoint);
  expectFollowUp(operation, kind, symbol, { meter: 'credits', cost, together: MAX_ASSETS });
}
