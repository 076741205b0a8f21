import { phrase } from '../../graph/arguments.ts';
import { type CandleInterval, exchangeOf, type Market } from './records.ts';

/** How arguments, and the parts of an id, name a market. */

export const exchange = phrase.nullish();

/** A market as arguments name it. */
interface MarketArguments {
  convert: Market['convert'];
  exchange?: string | null | undefined;
  interval?: CandleInterval | null | undefined;
}

export function marketOf(asked: MarketArguments): Market {
  return {
    convert: asked.convert,
    exchange: exchangeOf(asked.exchange),
    interval: asked.interval ?? null,
  };
}
