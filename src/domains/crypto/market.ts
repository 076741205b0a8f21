import { z } from 'zod';
import { phrase } from '../../graph/arguments.ts';
import { nodeId } from '../../graph/ids.ts';

/** What prices depend on, besides the asset: as arguments, keys and ids name it. */

export interface Market {
  convert: ConvertCurrency;
  /** In lower case, with single spaces (`exchangeOf`); null: none was named. */
  exchange: string | null;
  interval: CandleInterval | null;
}

/** The currencies that the spec allows prices to be in. */
export const convertCurrency = z.enum(['USD', 'TRY', 'EUR']);
export type ConvertCurrency = z.infer<typeof convertCurrency>;

/** The upstream's values for candle intervals, by the graph's names. */
export const INTERVALS = {
  ONE_MINUTE: '1m',
  FIVE_MINUTES: '5m',
  FIFTEEN_MINUTES: '15m',
  ONE_HOUR: '1h',
  FOUR_HOURS: '4h',
  ONE_DAY: '1d',
  ONE_WEEK: '1w',
} as const;

export type CandleInterval = keyof typeof INTERVALS;
export const candleInterval = z.enum(Object.keys(INTERVALS) as CandleInterval[]);

/** The argument `convert`: US dollars by default. */
export const convertArgument = convertCurrency.nullish().transform((value) => value ?? 'USD');

export const exchangeArgument = phrase.nullish();

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

/**
 * Returns an exchange as it stands in keys, ids and requests: spellings that differ in case and white space
 * are one exchange. The upstream gets this form, too, so that an answer depends on its key alone.
 */
function exchangeOf(name: string | null | undefined): string | null {
  return name ? name.trim().replaceAll(/\s+/g, ' ').toLowerCase() : null;
}

/**
 * Whether `priceUsd` is the market's price in dollars: for an exchange or interval, the spec does not state whether it
 * refers to it.
 */
export const hasDollars = ({ exchange, interval }: Market): boolean => !exchange && !interval;

export function marketKey({ convert, exchange, interval }: Market): string {
  return `${convert} ${interval ?? ''} ${exchange ?? ''}`;
}

const marketParts = z.object({
  convert: convertCurrency,
  interval: candleInterval.nullable(),
  exchange: z.string().nullable(),
});

/** Returns the market of a key; undefined if the text cannot be one. */
export function parseMarketKey(text: string): Market | undefined {
  // Names of exchanges may have spaces in them.
  const [convert, interval, ...exchange] = text.split(' ');
  const parts = { convert, interval: interval || null, exchange: exchange.join(' ') || null };
  return marketParts.safeParse(parts).data;
}

/** The end of the ids of a market's assets: each market has prices of its own. */
export const idSuffix = ({ convert, exchange, interval }: Market): string =>
  nodeId('', convert, exchange ?? '', interval ?? '');
