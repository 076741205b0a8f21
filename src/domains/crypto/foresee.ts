import type { Context } from '../../graph/context.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import { marketKey } from './asset-list.ts';
import { firstByRank } from './datasets.ts';
import { type Market, MAX_ASSETS, pricesEndpoint } from './records.ts';

/** What a dry run tells of requests that may follow once the answers to others have come. */

/** A list may be asked for once others have come. */
export function foreseeList(market: Market, { operation }: Context): void {
  expectFollowUp(operation, pricesEndpoint, `crypto by rank ${marketKey(market)}`, 'all');
}

/** Assets of better ranks are taken to be in the next list where they were in the last one. */
const SURE_RANK = 0.9 * MAX_ASSETS;

/** An asset that may not be in the next list is asked for by its ticker then. */
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
  expectFollowUp(operation, pricesEndpoint, kind, symbol, MAX_ASSETS);
}
