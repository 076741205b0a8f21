import { createContextCache } from '@pothos/core';
import type { Cached } from '../../cache/cached.ts';
import { type Context, type Gateway, oncePerOperation, perOperation } from '../../graph/context.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { noteFallback } from './arrivals.ts';
import type { AssetList } from './asset-list.ts';
import {
  byTicker,
  firstByRank,
  freshCount,
  knownLists,
  listKey,
  longestList,
  noteNeeded,
} from './datasets.ts';
import { demandFor, demandOf } from './demand.ts';
import { latestFirst, orInstead, orOld } from './fallbacks.ts';
import { countsFrom, grownCount, minCount } from './list-lengths.ts';
import { convertCurrency, type Market, marketKey } from './market.ts';
import { MAX_ASSETS, pricesEndpoint } from './records.ts';

/** Lists of the first assets by rank: the first 500, unless the line is so slow that these would take much longer. */

/** The lists that an operation has asked for, by market. */
const listsOf = perOperation((_context: Context) => new Map<string, Maybe<Cached<AssetList>>>());

/** Returns the longest fresh list of a market; if there is none, the list that the operation has asked for. */
export function currentList(
  market: Market,
  context: Context,
): Maybe<Cached<AssetList>> | undefined {
  const fresh = freshCount(market, 0, context);
  if (fresh === undefined) return listsOf(context).get(marketKey(market));
  return loadList(market, fresh, context);
}

/**
 * Loads one list. `noRetry`: the request is not retried after a timeout (datasets.ts). `needed`: how many assets suffice
 * if another process is asking for a list of another length. The list then has another length, even for those who join.
 */
export function loadList(
  market: Market,
  count: number,
  context: Context,
  noRetry = false,
  needed?: number,
): Maybe<Cached<AssetList>> {
  const list = firstByRank.load({ market, count, noRetry, needed }, context);
  if (!noRetry) noteNeeded(context.gateway, listKey({ market, count }), list);
  return whenReady(list, (cached) => {
    // A longer list is preferred as soon as there is one.
    if (cached.value.requested < MAX_ASSETS) return noteFallback(cached, market, context);
    demandOf(context.gateway).noteRanking(cached.value.all);
    return cached;
  });
}

/** The longest list of each market in flight: operations that begin meanwhile wait for the same one. */
const underWay = createContextCache((_gateway: Gateway) => new Map<string, { length: number }>());

/** Returns the list that other operations wait for, if it has at most `maxLength` assets; undefined if there is none. */
export function listUnderWay(
  market: Market,
  maxLength: number,
  context: Context,
): Maybe<Cached<AssetList>> | undefined {
  const { gateway, operation } = context;
  const { length } = underWay(gateway).get(marketKey(market)) ?? { length: Infinity };
  if (operation.estimate || length > maxLength) return undefined;
  return loadList(market, length, context, true);
}

/** Whether a list with at least `minLength` assets is in flight. */
export const isListUnderWay = (
  market: Market,
  minLength: number,
  { gateway }: Pick<Context, 'gateway'>,
): boolean => (underWay(gateway).get(marketKey(market))?.length ?? 0) >= minLength;

/** The highest number of first assets by rank that a field of an operation wants, by market. */
const maxWanted = perOperation((_context: Context) => new Map<string, number>());

/** Notes how many assets a field wants before any are requested: the longest list suffices for all fields. */
export function noteWanted(market: Market, needed: number, context: Context): void {
  const wanted = maxWanted(context);
  const key = marketKey(market);
  wanted.set(key, Math.max(needed, wanted.get(key) ?? 0));
}

/** Loads a list of the first `needed` assets, or of more. */
export const loadRanked = oncePerOperation(
  (market: Market, needed: number, _context: Context) => `${needed} ${marketKey(market)}`,
  beginRanked,
);

function beginRanked(market: Market, needed: number, context: Context): Maybe<Cached<AssetList>> {
  const fresh = freshCount(market, needed, context);
  return fresh === undefined ? bring(market, needed, context) : loadList(market, fresh, context);
}

function bring(market: Market, needed: number, context: Context): Promise<Cached<AssetList>> {
  const { gateway, operation } = context;
  const key = marketKey(market);
  const lists = underWay(gateway);
  const own = { length: 0 };
  noteWanted(market, needed, context);
  const list = allKnown(market, context).then(() => {
    const max = maxWanted(context).get(key) ?? needed;
    const other = lists.get(key)?.length ?? 0;
    if (other >= max) return freshOrGrown(market, max, other, context);
    own.length = grownCount(gateway, max);
    // A dry run sends nothing that other operations could wait for.
    if (!operation.estimate) lists.set(key, own);
    return freshOrGrown(market, max, own.length, context);
  });
  listsOf(context).set(key, list);
  return list.finally(() => lists.get(key) === own && lists.delete(key));
}

/** Resolves once it is known what other processes have stored, and what all fields want. */
async function allKnown(market: Market, context: Context): Promise<void> {
  await catchUpMarket(market, context);
  await whenFieldsBegun(context.resources);
}

/** The markets for which an operation has read, or is reading, what other processes have stored. */
const caughtUp = perOperation((_context: Context) => new Map<string, Maybe<unknown>>());

/** Reads what other processes know of a market, once per operation: lists, assets by ticker, and their demand. */
export function catchUpMarket(market: Market, context: Context): Maybe<unknown> {
  if (!context.gateway.shared) return undefined;
  const known = caughtUp(context);
  const key = marketKey(market);
  if (!known.has(key)) known.set(key, beginCatchUp(market, context));
  return known.get(key);
}

function beginCatchUp(market: Market, context: Context): Maybe<unknown> {
  const { gateway } = context;
  const cache = firstByRank.cache(gateway);
  const lists = countsFrom(0).map((count) => cache.catchUp({ market, count }));
  const tickers = byTicker.cache(gateway).catchUp({ market });
  const line = gateway.client.line(pricesEndpoint).ready();
  return whenAll<unknown>([...lists, tickers, line, demandFor(context).refresh()]);
}

/** Reads the lists of all 500 that other processes have in any currency, in which ranks are the same, unless one is known. */
export const readRanking = oncePerOperation(
  (market: Market, _context: Context) => marketKey(market),
  (market: Market, { gateway }: Context): Maybe<unknown> => {
    if (!gateway.shared || longestList(market, MAX_ASSETS, gateway)) return undefined;
    const { catchUp } = firstByRank.cache(gateway);
    const markets = convertCurrency.options.map((convert) => ({ ...market, convert }));
    return whenAll(markets.map((one) => catchUp({ market: one, count: MAX_ASSETS })));
  },
);

/** Loads the longest fresh list with at least `needed` assets, or else one of length `grown`. */
function freshOrGrown(
  market: Market,
  needed: number,
  grown: number,
  context: Context,
): Maybe<Cached<AssetList>> {
  const { gateway, operation } = context;
  const fresh = freshCount(market, needed, context);
  if (fresh !== undefined) return loadList(market, fresh, context);
  const min = minCount(needed);
  const loadShortest = () => loadList(market, min, context, true);
  const stillFits = () => grownCount(gateway, needed) >= grown;
  const loadGrown = () =>
    whenReady(loadList(market, grown, context, true, needed), (found) =>
      found.value.requested < min ? loadShortest() : found,
    );
  const list =
    grown === min
      ? loadList(market, min, context, false, min)
      : orInstead(loadGrown(), loadShortest, stillFits);
  return orOld(list, () => latestFirst(knownLists(market, needed, gateway)), operation);
}
