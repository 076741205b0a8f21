import { createContextCache } from '@pothos/core';
import type { Cached } from '../../cache/cached.ts';
import { type Context, type Gateway, oncePerOperation, perOperation } from '../../graph/context.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { noteFallback } from './arrivals.ts';
import type { AssetList } from './asset-list.ts';
import { firstByRank, freshCount, knownLists } from './datasets.ts';
import { demandOf } from './demand.ts';
import { latestFirst, orInstead, orOld } from './fallbacks.ts';
import { grownCount, minCount } from './list-lengths.ts';
import { type Market, marketKey } from './market.ts';
import { noteNeeded } from './needed.ts';
import { catchUpMarket } from './other-processes.ts';
import { listKey, type ListQuestion } from './questions.ts';
import { MAX_ASSETS } from './records.ts';

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
  return loadList({ market, count: fresh }, context);
}

/**
 * Loads one list. It has another length, even for those who need more and have joined the request, if another process
 * was asking for a list that was long enough for the first of them (`needed`).
 */
export function loadList(question: ListQuestion, context: Context): Maybe<Cached<AssetList>> {
  return noted(question, firstByRank.load(question, context), context);
}

/** Notes that a list is needed, and what it shows once it has come. */
function noted(
  question: ListQuestion,
  list: Maybe<Cached<AssetList>>,
  context: Context,
): Maybe<Cached<AssetList>> {
  const { market, noRetry } = question;
  if (!noRetry) noteNeeded(context.gateway, listKey(question), list);
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
  return loadList({ market, count: length, noRetry: true }, context);
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
  return fresh === undefined
    ? requestRanked(market, needed, context)
    : loadList({ market, count: fresh }, context);
}

/** Requests a list of at least `needed` assets, or joins one in flight, once all fields have said what they want. */
function requestRanked(
  market: Market,
  needed: number,
  context: Context,
): Promise<Cached<AssetList>> {
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

/** Loads the longest fresh list with at least `needed` assets, or else one of length `grown`. */
function freshOrGrown(
  market: Market,
  needed: number,
  grown: number,
  context: Context,
): Maybe<Cached<AssetList>> {
  const { gateway, operation } = context;
  const fresh = freshCount(market, needed, context);
  if (fresh !== undefined) return loadList({ market, count: fresh }, context);
  const min = minCount(needed);
  const load = (question: ListQuestion) => loadAtLeast(min, question, context);
  const loadShortest = () => load({ market, count: min, noRetry: true });
  const stillFits = () => grownCount(gateway, needed) >= grown;
  const list =
    grown === min
      ? load({ market, count: min, needed: min })
      : orInstead(
          load({ market, count: grown, noRetry: true, needed: min }),
          loadShortest,
          stillFits,
        );
  return orOld(list, () => latestFirst(knownLists(market, needed, gateway)), operation);
}

/** Loads a list; again if the request was joined, and another list sufficed for whoever began it. */
function loadAtLeast(
  min: number,
  question: ListQuestion,
  context: Context,
): Maybe<Cached<AssetList>> {
  const { gateway, operation } = context;
  const orAgain = (list: Cached<AssetList>): Maybe<Cached<AssetList>> => {
    if (list.value.requested >= min) return list;
    // Not through the operation's loader, which remembers that list.
    const again = noted(question, firstByRank.cache(gateway).load(question, operation), context);
    return whenReady(again, orAgain);
  };
  return whenReady(loadList(question, context), orAgain);
}
