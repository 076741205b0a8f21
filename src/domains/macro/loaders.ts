import type { GraphQLResolveInfo } from 'graphql';
import type { Cached, Fetched } from '../../cache/cached.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { defineSnapshot } from '../../graph/dataset.ts';
import { fetched } from '../../graph/freshness.ts';
import { isLikely, prefetch } from '../../graph/prefetch.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { defineSeries } from '../../graph/series.ts';
import { mapRecords } from '../../upstream/endpoint.ts';
import { catalogEndpoint, type MacroSeriesShape, seriesOf } from './records.ts';

/** A list of series; codes and prefixes are looked up here. */
interface Catalog {
  all: readonly MacroSeriesShape[];
  byCode: ReadonlyMap<string, MacroSeriesShape>;
}

/** Which list of series: the whole catalog, or what the upstream's search finds. */
interface CatalogKey {
  search: string | null;
}

const catalog = defineSnapshot(({ settings }: Gateway) => ({
  name: 'macro catalog',
  ttl: settings.ttl.macroCatalog,
  endpoint: catalogEndpoint,
  keyOf: ({ search }: CatalogKey) => (search === null ? 'all' : `search ${search}`),
  keyIn: (text) => ({ search: text === 'all' ? null : text.replace('search ', '') }),
  target: ({ search }) => ({
    path: ['v1', 'macro', 'catalog'],
    query: { q: search ?? undefined },
  }),
  read(answer): Fetched<Catalog> {
    const { records: all, ...rest } = mapRecords(catalogEndpoint, answer, {
      shape: seriesOf,
      keyOf: ({ id }) => id,
    });
    // Ids hold codes in this form, too.
    const byCode = new Map(all.map((series) => [series.code.toWellFormed(), series]));
    return fetched(rest, { all, byCode });
  },
}));

/** Values by the code of their series; the last 30 days by default (spec section 4.1). */
export const observations = defineSeries({
  name: 'macro series',
  meter: 'macro',
  ttl: 'macroSeries',
  defaultDays: 30,
  route: '/v1/macro/series/{code}',
});

/** One unit of macro quota at most for the whole catalog, and one for each text searched. */
export function loadCatalog(search: string | null, context: Context): Maybe<Cached<Catalog>> {
  return catalog.load({ search }, context);
}

/** One series, null where there is none. What is selected of its values is asked for meanwhile. */
export function loadSeries(
  code: string,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<MacroSeriesShape | null> {
  const { right, isInVain } = observations.selected(context, info, 'MacroSeries', 'observations');
  // Only `observations` is selected, with wrong arguments, which it reports: nobody reads the name.
  if (isInVain) return seriesOf({ code });
  const loading = loadCatalog(null, context);
  const last = catalog.cache(context.gateway).lastKnown({ search: null })?.value;
  if (loading instanceof Promise && isLikely(code, last?.byCode, context))
    for (const args of right) prefetch(() => observations.load(code, args, context));
  return whenReady(loading, ({ value }) => value.byCode.get(code) ?? null);
}
