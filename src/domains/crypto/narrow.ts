import { createContextCache } from '@pothos/core';
import type { Cached } from '../../cache/cached.ts';
import { createBoundedMap } from '../../bounded-map.ts';
import { type Context, type Gateway, perOperation } from '../../graph/context.ts';
import type { Maybe } from '../../maybe.ts';
import { freshCount, knownLists } from './datasets.ts';
import { demandFor } from './demand.ts';
import { type Market, marketKey } from './market.ts';
import { MAX_ASSETS } from './records.ts';

/** Decides whether one list by ticker is requested in place of the first 500. */

/** Maximum number of failing assets that are remembered. */
const MAX_FAILING = 1000;

/** The decisions of an operation, by market. */
const decided = perOperation((_context: Context) => new Map<string, boolean>());

/** Whether one list by ticker is to be requested next. */
export const isNarrow = (market: Market, context: Context): boolean =>
  decided(context).get(marketKey(market)) ?? suffices(market, context);

/** Decides the same for the whole operation, which could otherwise pay for both lists if later fields want more. */
export function decideNarrow(market: Market, context: Context): boolean {
  const narrow = isNarrow(market, context);
  decided(context).set(marketKey(market), narrow);
  return narrow;
}

/** The assets below the first 500 whose last request has failed, by ticker and market. */
const failing = createContextCache((_gateway: Gateway) =>
  createBoundedMap<string, true>(MAX_FAILING),
);

/**
 * Notes that an operation requests an asset by its ticker anyway, since no list has it: others come along with it,
 * unless its last request has failed, perhaps because of this very ticker.
 */
export function noteLower(
  market: Market,
  symbol: string,
  asset: Maybe<Cached<unknown>>,
  context: Context,
): void {
  if (!(asset instanceof Promise)) return;
  const failed = failing(context.gateway);
  const key = `${symbol} ${marketKey(market)}`;
  const isUndecided = !decided(context).has(marketKey(market));
  if (isUndecided && !failed.has(key) && freshCount(market, MAX_ASSETS, context) === undefined)
    decided(context).set(marketKey(market), true);
  // A request of a dry run is not sent, and so has not failed.
  if (context.operation.estimate) return;
  const note = (hasFailed: boolean) =>
    void (hasFailed ? failed.set(key, true) : failed.delete(key));
  asset.then(
    ({ stale }) => note(stale),
    () => note(true),
  );
}

function suffices(market: Market, context: Context): boolean {
  if (freshCount(market, MAX_ASSETS, context) !== undefined) return false;
  const demand = demandFor(context);
  // Before this process has loaded a list of 500, the last one of a process that shares with it serves as the ranking.
  const [list] = demand.isRanked() ? [] : knownLists(market, MAX_ASSETS, context.gateway);
  if (list) demand.noteRanking(list.value.all);
  return demand.narrow() !== undefined;
}
