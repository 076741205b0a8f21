import { type Context, perOperation } from '../../graph/context.ts';
import { longestList } from './datasets.ts';
import { grownCount } from './list-lengths.ts';
import { isListUnderWay } from './lists.ts';
import type { Wanted } from './loaders.ts';
import { type Market, marketKey } from './market.ts';
import { MAX_ASSETS } from './records.ts';

/** What the fields of an operation ask of each market: answers that are requested anyway serve other fields, too. */

const askedOf = perOperation((_context: Context) => new Map<string, Wanted[]>());

/** Notes that a field needs answers of this very market. */
export function noteAsked(market: Market, wanted: Wanted, context: Context): void {
  const asked = askedOf(context);
  const key = marketKey(market);
  asked.set(key, [...(asked.get(key) ?? []), wanted]);
}

/** Whether other fields ask for the same tickers of a market. */
export function isAskedByTicker(market: Market, { symbols }: Wanted, context: Context): boolean {
  const asked = askedOf(context).get(marketKey(market)) ?? [];
  const names = new Set(asked.flatMap((other) => other.symbols));
  return symbols.length > 0 && symbols.every((symbol) => names.has(symbol));
}

/**
 * Whether a list of a market that is requested anyway, by this operation or another one, will have what is wanted. Over
 * a slow line lists are shorter, and before the first list it is not known what they have.
 */
export function isAskedInList(
  market: Market,
  { symbols, needed = MAX_ASSETS }: Wanted,
  context: Context,
): boolean {
  const { gateway, operation } = context;
  if (grownCount(gateway, 1) < MAX_ASSETS) return false;
  const last = longestList(market, MAX_ASSETS, gateway)?.value.bySymbol;
  const isListed = (symbol: string) => last?.has(symbol) === true;
  const asked = askedOf(context).get(marketKey(market)) ?? [];
  const length = symbols.length > 0 ? MAX_ASSETS : Math.min(needed, MAX_ASSETS);
  const bringsList =
    (!operation.estimate && isListUnderWay(market, length, context)) ||
    asked.some((other) => other.symbols.length === 0 || other.symbols.some(isListed));
  return bringsList && symbols.every(isListed);
}
