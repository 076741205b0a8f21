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
import { catalogEndpoint, type MacroSeriesShape, seriesOf } from './records.ts';

export interface Catalog {
  all: readonly MacroSeriesShape[];
  byCode: ReadonlyMap<string, MacroSeriesShape>;
}

/** Which list of series: the whole catalog, or what the upstream's search finds. */
interface CatalogKey {
  search: string | null;
}

const keyOf = ({ search }: CatalogKey) => (search === null ? 'all' : `search ${search}`);

const catalog = createContextCache((gateway: Gateway) =>
  openSnapshot<CatalogKey, Catalog>(gateway, 'macro catalog', {
    ttl: gateway.settings.ttl.macroCatalog,
    keyOf,
    async fetch({ search }, operation) {
      const query = { q: search ?? undefined };
      const target = () => ({ path: ['v1', 'macro', 'catalog'], query });
      const answer = await gateway.client.fetch(catalogEndpoint, target, operation);
      const all = answer.records.map(seriesOf);
      return taken(answer, { all, byCode: new Map(all.map((series) => [series.code, series])) });
    },
  }),
);

const observations = createContextCache((gateway: Gateway) =>
  openSeries(gateway, {
    name: 'macro series',
    meter: 'macro',
    ttl: gateway.settings.ttl.macroSeries,
    path: (code) => ['v1', 'macro', 'series', code],
  }),
);

const catalogLoader = createContextCache((context: Context) =>
  snapshotLoader(catalog(context.gateway), keyOf, context),
);

const observationsLoader = createContextCache((context: Context) =>
  dayRangeLoader(observations(context.gateway), (code) => code, context),
);

/** One unit of macro quota at most for the whole catalog, and one for each text searched. */
export function loadCatalog(search: string | null, context: Context): Maybe<Held<Catalog>> {
  return catalogLoader(context)({ search });
}

/** The last 30 days by default (spec 4.1). */
function observationDefaults(context: Context): Span {
  const end = todayFor(context);
  return { start: end - 30, end };
}

const observationArguments = z.object(range);

function observationSpan(args: unknown, context: Context): Span {
  return spanOf(parseArguments(observationArguments, args), observationDefaults(context));
}

/**
 * One unit of macro quota at most for all ranges of a series in an operation. `args` are the
 * arguments of the `observations` field. Throws BAD_USER_INPUT.
 */
export function loadObservations(
  code: string,
  args: unknown,
  context: Context,
): Maybe<TimeSeriesShape> {
  const span = observationSpan(args, context);
  const days = observationsLoader(context)({ key: code, span });
  return whenReady(days, (held) => timeSeries(span, held));
}

/** One series, null where there is none. What is selected of its values is asked for meanwhile. */
export function loadSeries(
  code: string,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<MacroSeriesShape | null> {
  const check = (args: unknown) => observationSpan(args, context);
  const ranges = checkedArguments(info, 'MacroSeries', 'observations', check);
  const held = loadCatalog(null, context);
  if (held instanceof Promise)
    for (const args of ranges) startEarly(() => loadObservations(code, args, context));
  return whenReady(held, ({ value }) => value.byCode.get(code) ?? null);
}
