import { PAIRS } from '../lists/currencies.ts';
import type { Ask } from '../endpoint.ts';
import { readRange } from '../parameters.ts';
import { Refusal } from '../refusal.ts';
import { daysWhere, formatDay, isBusinessDay, parseDay } from '../time.ts';
import { envelope } from './envelope.ts';
import type { Rates } from './rates.ts';
import { tradedAt } from './rates.ts';

const KNOWN = new Set(PAIRS);
const FIRST_DAY = parseDay('2015-01-01') ?? 0;
const DEFAULT_DAYS = 7;

/** GET /v1/fx/rates: every pair, section 4.1. */
export function fxRates(rates: Rates, ask: Ask): object {
  const at = tradedAt(ask.at);
  const data = PAIRS.map((pair) => ({
    pair,
    buying: rates.buying(pair, at),
    selling: rates.selling(pair, at),
  }));
  return envelope('fx', ask, at, data);
}

/** GET /v1/fx/rates/{pair}/history. Not shown: values are buying rates; today's moves until the day is over. */
export function fxHistory(rates: Rates, ask: Ask): object {
  const pair = ask.subject;
  // Not shown: the status of a pair that does not exist.
  if (!KNOWN.has(pair)) throw new Refusal('not_found', `Unknown currency pair: ${pair}`);
  const range = readRange(ask.query, { start: ask.today - DEFAULT_DAYS, end: ask.today });
  const start = Math.max(range.start, FIRST_DAY);
  const days = daysWhere(start, Math.min(range.end, ask.today), isBusinessDay);
  const data = days.map((day) => ({
    date: formatDay(day),
    value: day < ask.today ? rates.closing(pair, day) : rates.buying(pair, ask.at),
  }));
  return envelope('fx', ask, tradedAt(ask.at), data);
}
