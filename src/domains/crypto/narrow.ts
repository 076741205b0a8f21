import { type Context, perOperation } from '../../graph/context.ts';
import { marketKey } from './asset-list.ts';
import { demandFor } from './demand.ts';
import { freshCount, knownLists } from './lists.ts';
import { type Market, MAX_ASSETS } from './records.ts';

/** Whether one list by ticker is asked for in place of the first 500. */

/** What an operation has decided, by market. */
const decided = perOperation((_context: Context) => new Map<string, boolean>());

/** Whether one list by ticker is asked for next. */
export const isNarrow = (market: Market, context: Context): boolean =>
  decided(context).get(marketKey(market)) ?? suffices(market, context);

/** The same, decided for all of the operation: else it could pay for the other list, too, for what fields want later. */
export function decideNarrow(market: Market, context: Context): boolean {
  const narrow = isNarrow(market, context);
  decided(context).set(marketKey(market), narrow);
  return narrow;
}

function suffices(market: Market, context: Context): boolean {
  if (freshCount(market, MAX_ASSETS, context) !== undefined) return false;
  const demand = demandFor(context);
  // Before the first list of this process, the last one of those that share with it does.
  const [list] = demand.isRanked() ? [] : knownLists(market, MAX_ASSETS, context.gateway);
  if (list) demand.noteRanking(list.value.all);
  return demand.narrow() !== undefined;
}
