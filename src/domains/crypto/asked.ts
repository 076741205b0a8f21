import { type Context, perOperation } from '../../graph/context.ts';
import { longestList } from './datasets.ts';
import { grownCount } from './list-lengths.ts';
import { isListUnderWay } from './lists.ts';
import type { Wanted } from './loaders.ts';
import type { Market } from './market.ts';
import { MAX_ASSETS } from './records.ts';

/**
 * What an operation requests in dollars in any case, since a field shows or orders by what only answers in dollars have
 * (`needsOwn` of dollar-prices.ts). Its other fields use these answers, too, rather than those in another currency.
 */

/** The tickers, and whether any field wants the first assets by rank. */
const askedOf = perOperation((_context: Context) => ({ names: new Set<string>(), isList: false }));

/** Notes what a field needs in dollars. */
export function noteAsked({ symbols }: Wanted, context: Context): void {
  const asked = askedOf(context);
  for (const symbol of symbols) asked.names.add(symbol);
  asked.isList ||= symbols.length === 0;
}

/** Whether other fields ask for the same tickers. */
export function isAskedByTicker({ symbols }: Wanted, context: Context): boolean {
  const { names } = askedOf(context);
  return symbols.length > 0 && symbols.every((symbol) => names.has(symbol));
}

/**
 * Whether a list in dollars that is requested anyway, by this operation or another one, will have what is wanted. Over
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
  const { names, isList } = askedOf(context);
  const length = symbols.length > 0 ? MAX_ASSETS : Math.min(needed, MAX_ASSETS);
  const bringsList =
    (!operation.estimate && isListUnderWay(market, length, context)) ||
    isList ||
    names.values().some(isListed);
  return bringsList && symbols.every(isListed);
}
