import { createContextCache } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { Held } from '../../cache/held.ts';
import { parseArguments, range, spanOf } from '../../graph/arguments.ts';
import { type Context, type Gateway, todayFor } from '../../graph/context.ts';
import { dayRangeLoader, openSnapshot, snapshotLoader, taken } from '../../graph/dataset.ts';
import { startEarly } from '../../graph/lookahead.ts';
import { type Maybe, whenReady } from '../../graph/maybe.ts';
import { checkedArguments } from '../../graph/selection.ts';
import { openSeries } from '../../graph/series.ts';
import { type TimeSeriesShape, timeSeries } from '../../graph/time-series.ts';
import type { Span } from '../../time.ts';
import { type FxRateShape, rateOf, ratesEndpoint } from './records.ts';

/** All rates; every filter is local. */
export interface Rates {
  all: readonly FxRateShape[];
  byPair: ReadonlyMap<string, FxRateShape>;
}

const rates = createContextCache((gateway: Gateway) =>
  openSnapshot<'all', Rates>(gateway, 'fx rates', {
    ttl: gateway.settings.ttl.fxRates,
    keyOf: (key) => key,
    async fetch(_key, operation) {
      const target = () => ({ path: ['v1', 'fx', 'rates'] });
      const answer = await gateway.client.fetch(ratesEndpoint, target, operation);
      const all = answer.records.map(rateOf);
      return taken(answer, {
        all,
        byPair: new Map(all.map((rate) => [rate.base + rate.quote, rate])),
      });
    },
  }),
);

const history = createContextCache((gateway: Gateway) =>
  openSeries(gateway, {
    name: 'fx history',
    meter: 'fx',
    ttl: gateway.settings.ttl.fxHistory,
    path: (pair) => ['v1', 'fx', 'rates', pair, 'history'],
  }),
);

const ratesLoader = createContextCache((context: Context) =>
  snapshotLoader(rates(context.gateway), (key) => key, context),
);

const historyLoader = createContextCache((context: Context) =>
  dayRangeLoader(history(context.gateway), (pair) => pair, context),
);

/** One unit of FX quota at most, whatever is asked of it. */
export function loadRates(context: Context): Maybe<Held<Rates>> {
  return ratesLoader(context)('all');
}

/** Seven days back by default (spec 4.1). */
function historyDefaults(context: Context): Span {
  const end = todayFor(context);
  return { start: end - 7, end };
}

const historyArguments = z.object(range);

function historySpan(args: unknown, context: Context): Span {
  return spanOf(parseArguments(historyArguments, args), historyDefaults(context));
}

/**
 * One unit of FX quota at most for all ranges of a pair in an operation. `pair` is base and quote in
 * capitals; `args` are the arguments of the `history` field. Throws BAD_USER_INPUT.
 */
export function loadHistory(pair: string, args: unknown, context: Context): Maybe<TimeSeriesShape> {
  const span = historySpan(args, context);
  const days = historyLoader(context)({ key: pair, span });
  return whenReady(days, (held) => timeSeries(span, held));
}

/** One rate, null where there is none. What is selected of its history is asked for meanwhile. */
export function loadRate(
  pair: string,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<FxRateShape | null> {
  const check = (args: unknown) => historySpan(args, context);
  const ranges = checkedArguments(info, 'FxRate', 'history', check);
  const held = loadRates(context);
  if (held instanceof Promise)
    for (const args of ranges) startEarly(() => loadHistory(pair, args, context));
  return whenReady(held, ({ value }) => value.byPair.get(pair) ?? null);
}
