import { PAIRS } from '../lists/currencies.ts';
import type { EndpointRequest } from '../endpoint.ts';
import { readRange } from '../parameters.ts';
import { ApiError } from '../errors.ts';
import { daysWhere, formatDay, isBusinessDay, parseDay } from '../time.ts';
import { envelope } from './envelope.ts';
import type { Rates } from './rates.ts';
import { tradedAt } from './rates.ts';

/** The FX endpoints of Group A: which rates are in an answer. The rates themselves are made in rates.ts. */

const KNOWN = new Set(PAIRS);
const FIRST_DAY = parseDay('2015-01-01') ?? 0;
const DEFAULT_DAYS = 7;

/** GET /v1/fx/rates: every pair, section 4.1. */
export function fxRates(rates: Rates, request: EndpointRequest): object {
  const at = tradedAt(request.at);
  const data = PAIRS.map((pair) => ({
    pair,
    buying: rates.buying(pair, at),
    selling: rates.selling(pair, at),
  }));
  return envelope('fx', request, at, data);
}

/** GET /v1/fx/rates/{pair}/history. Not in the spec: values are buying rates; today's moves until the day is over. */
export function fxHistory(rates: Rates, request: EndpointRequest): object {
  const pair = request.subject;
  // Not in the spec: the status of a pair that does not exist.
  if (!KNOWN.has(pair)) throw new ApiError('not_found', `Unknown currency pair: ${pair}`);
  const range = readRange(request.query, {
    start: request.today - DEFAULT_DAYS,
    end: request.today,
  });
  const start = Math.max(range.start, FIRST_DAY);
  const days = daysWhere(start, Math.min(range.end, request.today), isBusinessDay);
  const data = days.map((day) => ({
    date: formatDay(day),
    value: day < request.today ? rates.closing(pair, day) : rates.buying(pair, request.at),
  }));
  return envelope('fx', request, tradedAt(request.at), data);
}
