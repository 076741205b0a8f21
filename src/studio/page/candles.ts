import type { Candle, Series } from './series.ts';

/** Makes candles out of daily values: first, last, highest and lowest value of each week or month. */

export type Every = 'week' | 'month';

export interface Candles {
  /** Seconds since 1970: the first day of each week or month that has a value. */
  times: number[];
  candles: Candle[];
}

export function candlesOf({ times, values }: Series, every: Every): Candles {
  const made = new Map<string, { time: number; candle: Candle }>();
  for (const [i, time] of times.entries()) {
    const value = values[i] ?? 0;
    const key = keyOf(time, every);
    const known = made.get(key)?.candle;
    if (!known)
      made.set(key, { time, candle: { open: value, high: value, low: value, close: value } });
    else {
      known.high = Math.max(known.high, value);
      known.low = Math.min(known.low, value);
      known.close = value;
    }
  }
  const all = [...made.values()];
  return { times: all.map(({ time }) => time), candles: all.map(({ candle }) => candle) };
}

const DAY = 86_400;

/** Weeks begin on Mondays; 1970-01-05 was one. */
function keyOf(time: number, every: Every): string {
  if (every === 'month') return new Date(time * 1000).toISOString().slice(0, 7);
  return String(Math.floor((time / DAY - 4) / 7));
}
