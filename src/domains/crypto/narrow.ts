import { type Context, perOperation } from '../../graph/context.ts';
import { freshCount, knownLists } from './datasets.ts';
import { demandFor } from './demand.ts';
import { type Market, marketKey } from './market.ts';
import { MAX_ASSETS } from './records.ts';

/** Decides whether one list by ticker is requested in place of the first 500. */

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

/** Notes that an operation requests an asset by its ticker anyway, since no list has it: others come along with it. */
export function noteLower(market: Market, context: Context): void {
  const decisions = decided(context);
  const key = marketKey(market);
  if (!decisions.has(key))
    decisions.set(key, freshCount(market, MAX_ASSETS, context) === undefined);
}

function suffices(market: Market, context: Context): boolean {
  if (freshCount(market, MAX_ASSETS, context) !== undefined) return false;
  const demand = demandFor(context);
  // Before this process has loaded a list of 500, the last one of a process that shares with it serves as the ranking.
  const [list] = demand.isRanked() ? [] : knownLists(market, MAX_ASSETS, context.gateway);
  if (list) demand.noteRanking(list.value.all);
  return demand.narrow() !== undefined;
}
