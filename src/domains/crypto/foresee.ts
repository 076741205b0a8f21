import type { Context } from '../../graph/context.ts';
import { expectFollowUp } from '../../usage/estimate.ts';
import { firstByRank } from './datasets.ts';
import { type Market, marketKey } from './market.ts';
import { MAX_ASSETS, pricesEndpoint } from './records.ts';

/** Tells dry runs of requests that may follow once others are answered. */

/** Tells a dry run that a list may be requested after other answers have come. */
export function foreseeList(market: Market, { operation }: Context): void {
  expectFollowUp(operation, pricesEndpoint, `crypto by rank ${marketKey(market)}`, 'all');
}

/** Up to this rank in the last list, an asset is assumed to be in the next one, too. */
const MAX_SURE_RANK = 0.9 * MAX_ASSETS;

/** Tells a dry run that an asset may be requested by its ticker, if the next list may lack it. */
export function foreseeByTicker(
  market: Market,
  symbol: string,
  { gateway, operation }: Context,
): void {
  if (!operation.estimate) return;
  const last = firstByRank.cache(gateway).lastKnown({ market, count: MAX_ASSETS });
  const rank = last?.value.bySymbol.get(symbol)?.rank ?? Infinity;
  if (rank <= MAX_SURE_RANK) return;
  const kind = `crypto by ticker ${marketKey(market)}`;
  expectFollowUp(operation, pricesEndpoint, kind, symbol, MAX_ASSETS);
}
