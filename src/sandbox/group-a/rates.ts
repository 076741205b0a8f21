import { ANCHOR_DAY, CURRENCIES } from '../lists/currencies.ts';
import { memoize } from '../memo.ts';
import { round, streamOf, walk } from '../random.ts';
import { businessDayUpTo, dayOf, daysAt, instantOf, parseDay } from '../time.ts';

/** Synthetic exchange rates. FX and crypto endpoints use the same ones, so that they agree. */

const ANCHOR = parseDay(ANCHOR_DAY) ?? 0;

/** Exchange rates as a function of time (epoch milliseconds). Buying is a little below the mid rate, selling above. */
export interface Rates {
  mid: (base: string, quote: string, ms: number) => number;
  buying: (pair: string, ms: number) => number;
  selling: (pair: string, ms: number) => number;
  /** The buying rate at the end of a past day. */
  closing: (pair: string, day: number) => number;
}

/** The last moment of trade: now, or the end of the last business day. */
export function tradedAt(ms: number): number {
  const day = dayOf(ms);
  const open = businessDayUpTo(day);
  return open === day ? ms : instantOf(open + 1);
}

const rounded = (rate: number) => round(rate, rate < 1 ? 6 : 4);

const spread = (pair: string) => (pair.endsWith('TRY') ? 0.0009 : 0.0002);

function createCurrency(seed: number, [code, usd, dailyMove, drift]: (typeof CURRENCIES)[number]) {
  const stream = streamOf(seed, `currency ${code}`);
  const start = walk(stream, ANCHOR);
  return (days: number) => {
    const years = (days - ANCHOR) / 365;
    const moved = (walk(stream, days) - start) * dailyMove;
    return usd * Math.exp((moved + years * drift) / 100);
  };
}

/** Every currency has a value in USD, so that cross rates agree with each other. */
export function createRates(seed: number): Rates {
  const values = new Map(CURRENCIES.map((row) => [row[0], createCurrency(seed, row)]));
  const usd = (code: string, ms: number) => values.get(code)?.(daysAt(ms)) ?? Number.NaN;

  const mid = (base: string, quote: string, ms: number) => usd(base, ms) / usd(quote, ms);
  const ofPair = (pair: string, ms: number) => mid(pair.slice(0, 3), pair.slice(3), ms);
  const buying = (pair: string, ms: number) => rounded(ofPair(pair, ms) * (1 - spread(pair)));
  const closings = memoize(
    (pair: string) => memoize((day: number) => buying(pair, instantOf(day + 1)), 10_000),
    200,
  );
  return {
    mid,
    buying,
    selling: (pair, ms) => rounded(ofPair(pair, ms) * (1 + spread(pair))),
    closing: (pair, day) => closings(pair)(day),
  };
}
