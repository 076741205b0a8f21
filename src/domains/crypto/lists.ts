import { createContextCache } from '@pothos/core';
import type { Cached } from '../../cache/cached.ts';
import { type Context, type Gateway, oncePerOperation, perOperation } from '../../graph/context.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { noteSecondChoice } from './arrivals.ts';
import { type AssetList, marketKey } from './asset-list.ts';
import {
  byTicker,
  countsFrom,
  firstByRank,
  grownCount,
  leastCount,
  listKey,
  noteNeeded,
} from './datasets.ts';
import { demandFor, demandOf } from './demand.ts';
import { latestFirst, orInstead, orOld } from './fallbacks.ts';
import { type Market, MAX_ASSETS, pricesEndpoint } from './records.ts';

/** The lists of the first assets by rank: 500, unless the line is so slow that this would take much longer. */

/** The lists that an operation has asked for, by market. */
const listsOf = perOperation((_context: Context) => new Map<string, Maybe<Cached<AssetList>>>());

/** The length of the longest list that is fresh, of those with so many assets at least. */
export function freshCount(market: Market, needed: number, context: Context): number | undefined {
  const cache = firstByRank.cache(context.gateway);
  return countsFrom(needed).findLast((count) =>
    cache.isFresh({ market, count }, context.operation),
  );
}

/** The longest list of a market that is fresh, or that the operation has asked for. */
export function currentList(
  market: Market,
  context: Context,
): Maybe<Cached<AssetList>> | undefined {
  const fresh = freshCount(market, 0, context);
  if (fresh === undefined) return listsOf(context).get(marketKey(market));
  return loadList(market, fresh, context);
}

/** One list. `asksOnce`: it is not asked for again where it does not come in time (datasets.ts). */
export function loadList(
  market: Market,
  count: number,
  context: Context,
  asksOnce = false,
): Maybe<Cached<AssetList>> {
  const list = firstByRank.load({ market, count, asksOnce }, context);
  if (!asksOnce) noteNeeded(context.gateway, listKey({ market, count }), list);
  return whenReady(list, (cached) => {
    // A longer one is preferred.
    if (count < MAX_ASSETS) return noteSecondChoice(cached, market, context);
    demandOf(context.gateway).noteRanking(cached.value.all);
    return cached;
  });
}

/** The lists of a market with so many assets at least, however old they are: the longest first. */
export function knownLists(market: Market, needed: number, gateway: Gateway): Cached<AssetList>[] {
  const { lastKnown } = firstByRank.cache(gateway);
  return countsFrom(needed)
    .toReversed()
    .flatMap((count) => lastKnown({ market, count }) ?? []);
}

/** The longest list of each market that is under way: who comes meanwhile waits for the same one. */
const underWay = createContextCache((_gateway: Gateway) => new Map<string, { length: number }>());

/** How many of the first assets of each market an operation wants at most. */
const mostWanted = perOperation((_context: Context) => new Map<string, number>());

/** Notes what a field wants before it is asked for: one list, the longest, does for all fields. */
export function noteWanted(market: Market, needed: number, context: Context): void {
  const wanted = mostWanted(context);
  const key = marketKey(market);
  wanted.set(key, Math.max(needed, wanted.get(key) ?? 0));
}

/** A list with so many assets, and perhaps more. */
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
    const most = mostWanted(context).get(key) ?? needed;
    const other = lists.get(key)?.length ?? 0;
    if (other >= most) return freshOrGrown(market, most, other, context);
    own.length = grownCount(gateway, most);
    // Nobody can wait for what a dry run does not send.
    if (!operation.estimate) lists.set(key, own);
    return freshOrGrown(market, most, own.length, context);
  });
  listsOf(context).set(key, list);
  return list.finally(() => lists.get(key) === own && lists.delete(key));
}

/** Resolves once it is known what other processes have, and what all fields want. */
async function allKnown(market: Market, context: Context): Promise<void> {
  await catchUpMarket(market, context);
  await whenFieldsBegun(context.resources);
}

/** The markets of which an operation has taken what other processes have. */
const caughtUp = perOperation((_context: Context) => new Map<string, Maybe<unknown>>());

/** Takes what other processes have of a market, once for each operation: lists, assets by ticker, and what they are asked for. */
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
  return whenAll<unknown>([...lists, tickers, line, demandFor(context).hear()]);
}

/** The list that is fresh, or one of length `grown`. */
function freshOrGrown(
  market: Market,
  needed: number,
  grown: number,
  context: Context,
): Maybe<Cached<AssetList>> {
  const { gateway, operation } = context;
  const fresh = freshCount(market, needed, context);
  if (fresh !== undefined) return loadList(market, fresh, context);
  const least = leastCount(needed);
  const loadLeast = (asksOnce: boolean) => loadList(market, least, context, asksOnce);
  const stillFits = () => grownCount(gateway, needed) >= grown;
  const list =
    grown === least
      ? loadLeast(false)
      : orInstead(loadList(market, grown, context, true), () => loadLeast(true), stillFits);
  return orOld(list, () => latestFirst(knownLists(market, needed, gateway)), operation);
}
