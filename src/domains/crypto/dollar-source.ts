import type { Context } from '../../graph/context.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { type Maybe, whenAll } from '../../maybe.ts';
import { isAskedByTicker, isAskedInList } from './asked.ts';
import { byTicker, freshCount, freshList, knownLists, wasListed } from './datasets.ts';
import { CURRENCIES, currencyInUse } from './in-use.ts';
import type { Wanted } from './loaders.ts';
import type { Market } from './market.ts';
import { isFreshByTicker } from './one-asset.ts';
import { catchUpMarket } from './other-processes.ts';
import { isUnusual } from './questions.ts';
import { MAX_ASSETS } from './records.ts';

/** Decides from which answers prices in dollars are taken: those in any currency have `priceUsd` (spec section 2.7). */

/** Where prices in dollars come from: answers in dollars, if neither is set. */
interface DollarSource {
  /** Answers in this currency. */
  convert?: Market['convert'] | undefined;
  /** Answers in dollars, which are requested anyway; those in this currency if they fail. */
  orElse?: Market['convert'] | undefined;
}

/**
 * Returns a check of whether a fresh answer of the market itself tells of a ticker. The list is looked up only once,
 * since the check may be for hundreds of tickers.
 */
export function freshNames(market: Market, context: Context): (symbol: string) => boolean {
  const listed = freshList(market, context)?.value.bySymbol;
  return (symbol) => listed?.has(symbol) || isFreshByTicker(market, symbol, context);
}

/** Whether fresh answers of the market itself have all that is wanted. */
export function isFresh(
  market: Market,
  { symbols, needed = MAX_ASSETS }: Wanted,
  context: Context,
): boolean {
  if (symbols.length === 0) return freshCount(market, needed, context) !== undefined;
  return symbols.every(freshNames(market, context));
}

/** Whether no asset in the last answers about what is wanted lacked a dollar price. */
function hadDollars(market: Market, { symbols }: Wanted, { gateway }: Context): boolean {
  const list = knownLists(market, 0, gateway)[0]?.value;
  const { lastKnown } = byTicker.cache(gateway);
  const last =
    symbols.length === 0
      ? (list?.all ?? [])
      : symbols.map((one) => list?.bySymbol.get(one) ?? lastKnown({ market }, one)?.value);
  return last.every((asset) => asset?.priceUsd !== null);
}

/**
 * Returns the currency whose answers serve for dollars: one that is fresh, else one in which prices of the same assets
 * are `selected`, else one that is in use, unless dollars are requested anyway.
 */
export function dollarSource(
  market: Market,
  wanted: Wanted,
  context: Context,
  selected: readonly Market['convert'][],
): Maybe<DollarSource> {
  const marketIn = (convert: Market['convert']): Market => ({ ...market, convert });
  const others = CURRENCIES.filter((convert) => hadDollars(marketIn(convert), wanted, context));
  const findFresh = () => others.find((convert) => isFresh(marketIn(convert), wanted, context));
  const fresh = findFresh();
  // A ticker that is refused is refused in dollars, too: the other tickers would be paid for in both currencies.
  if (wanted.symbols.some((one) => isUnusual(one) && !wasListed(market, one, context)))
    return { convert: fresh };
  // Fields that begin after this one may ask for another currency. Before its answer is paid for, prices that another
  // process has stored are used, in whichever currency.
  const inUse = async (): Promise<DollarSource> => {
    await whenFieldsBegun(context.resources);
    await whenAll([market, ...others.map(marketIn)].map((one) => catchUpMarket(one, context)));
    if (isFresh(market, wanted, context)) return {};
    const found = findFresh() ?? others.find((convert) => selected.includes(convert));
    if (found) return { convert: found };
    const isAsked = isAskedByTicker(wanted, context) || isAskedInList(market, wanted, context);
    const used = await currencyInUse(others, context);
    return isAsked ? { orElse: used } : { convert: used };
  };
  return fresh ? { convert: fresh } : inUse();
}
