import type { GraphQLResolveInfo } from 'graphql';
import type { Cached, Fetched } from '../../cache/cached.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { defineSnapshot } from '../../graph/dataset.ts';
import { expiredButEnough, fetched } from '../../graph/freshness.ts';
import { foreseeUnknownCount, prefetchIf } from '../../graph/prefetch.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { defineSeries } from '../../graph/series.ts';
import { createWatch } from '../../graph/watch.ts';
import { mapRecords } from '../../upstream/endpoint.ts';
import { type FxRateShape, rateOf, ratesEndpoint } from './records.ts';

/** All rates; filters are applied by the gateway. */
export interface Rates {
  all: readonly FxRateShape[];
  byPair: ReadonlyMap<string, FxRateShape>;
}

/** Notifies watchers of every answer with all rates, whichever client or process asked for it. */
export const answers = createWatch<'all'>();

const rates = defineSnapshot((gateway: Gateway) => ({
  name: 'fx rates',
  ttl: gateway.settings.ttl.fxRates,
  endpoint: ratesEndpoint,
  keyOf: (key: 'all') => key,
  parseKey: () => 'all' as const,
  target: () => ({ path: ['v1', 'fx', 'rates'] }),
  isEmpty: ({ all }: Rates) => all.length === 0,
  onAnswer: () => answers.notify(gateway, 'all'),
  read(answer): Fetched<Rates> {
    const { records: all, ...rest } = mapRecords(ratesEndpoint, answer, {
      shape: rateOf,
      keyOf: ({ id }) => id,
    });
    const byPair = new Map(all.map((rate) => [rate.base + rate.quote, rate]));
    return fetched(rest, { all, byPair });
  },
}));

/** Values by pair, base and quote in capitals; seven days back by default (spec section 4.1). */
export const history = defineSeries({
  name: 'fx history',
  meter: 'fx',
  ttl: 'fxHistory',
  defaultDays: 7,
  usualFrequency: 'DAILY',
  route: '/v1/fx/rates/{pair}/history',
});

/** Loads all rates, for at most one unit of FX quota, however many pairs are read. */
export function loadRates(context: Context): Maybe<Cached<Rates>> {
  return rates.load('all', context);
}

/** Tells a dry run that the number of rates whose history will be requested is not known yet. */
export function foreseeHistories(context: Context, info: GraphQLResolveInfo): void {
  foreseeUnknownCount('fx', context, info, 'FxRate', 'history');
}

/** Loads all rates for a field that returns several of them; tells a dry run that histories may follow. */
export function loadRateList(context: Context, info: GraphQLResolveInfo): Maybe<Cached<Rates>> {
  const all = loadRates(context);
  if (all instanceof Promise) foreseeHistories(context, info);
  return all;
}

/** To answer these fields, it is enough to know that the pair exists. */
const UNCHANGING = new Set(['id', 'pair', 'base', 'quote', 'history', '__typename']);

/** Loads one rate, null if the upstream has none for the pair. Its selected history is prefetched meanwhile. */
export function loadRate(
  pair: string,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<FxRateShape | null> {
  const { valid, isUseless } = history.selected(context, info, 'FxRate', 'history');
  // Only `history` is selected, with invalid arguments, which that field reports: these values are never read.
  if (isUseless) return rateOf({ pair, buying: 0, selling: 0 });
  const cache = rates.cache(context.gateway);
  const load = () => {
    const { fxRates: ttl } = context.gateway.settings.ttl;
    const enough = { typeName: 'FxRate', fields: UNCHANGING, ttl };
    const known = expiredButEnough(cache, 'all', enough, context, info)?.byPair.get(pair);
    if (known) return known;
    const loading = loadRates(context);
    // False if the last list, if any, lacks the pair.
    const isLikely = cache.lastKnown('all')?.value.byPair.has(pair) ?? true;
    if (loading instanceof Promise)
      for (const args of valid)
        prefetchIf(isLikely, (own) => history.load(pair, args, own), context);
    return whenReady(loading, ({ value }) => value.byPair.get(pair) ?? null);
  };
  // Another process may have stored a list.
  return cache.lastKnown('all') ? load() : whenReady(cache.catchUp('all'), load);
}
