import type { GraphQLResolveInfo } from 'graphql';
import type { Cached, Fetched } from '../../cache/cached.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { defineSnapshot } from '../../graph/dataset.ts';
import { expiredButEnough, fetched } from '../../graph/freshness.ts';
import { prefetchIf } from '../../graph/prefetch.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { defineSeries } from '../../graph/series.ts';
import { mapRecords } from '../../upstream/endpoint.ts';
import { catalogEndpoint, type MacroSeriesShape, seriesOf } from './records.ts';

/** A list of series, in which codes and prefixes are looked up. */
interface Catalog {
  all: readonly MacroSeriesShape[];
  byCode: ReadonlyMap<string, MacroSeriesShape>;
}

/** Which list of series: what the upstream's search for a text finds, or (null) the whole catalog. */
interface CatalogKey {
  search: string | null;
}

const catalog = defineSnapshot(({ settings }: Gateway) => ({
  name: 'macro catalog',
  ttl: settings.ttl.macroCatalog,
  endpoint: catalogEndpoint,
  keyOf: ({ search }: CatalogKey) => (search === null ? 'all' : `search ${search}`),
  parseKey: (text) => ({ search: text === 'all' ? null : text.replace('search ', '') }),
  target: ({ search }) => ({
    path: ['v1', 'macro', 'catalog'],
    query: { q: search ?? undefined },
  }),
  isEmpty: ({ all }: Catalog) => all.length === 0,
  read(answer, { search }): Fetched<Catalog> {
    const { records: all, ...rest } = mapRecords(catalogEndpoint, answer, {
      shape: seriesOf,
      keyOf: ({ id }) => id,
    });
    // Node ids hold codes in this form, too.
    const byCode = new Map(all.map((series) => [series.code.toWellFormed(), series]));
    // Only a search may find nothing.
    const isDoubtful = search === null && all.length === 0;
    return { ...fetched(rest, { all, byCode }), isDoubtful };
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

/** Loads a list of series: at most one unit of macro quota for the whole catalog, and one for each search text. */
export function loadCatalog(search: string | null, context: Context): Maybe<Cached<Catalog>> {
  return catalog.load({ search }, context);
}

const WHOLE = { search: null };
/** To answer these fields, it is enough to know that the series exists. */
const UNCHANGING = new Set(['id', 'code', 'frequency', 'observations', '__typename']);

/** Loads one series, null if the catalog has none of this code. Its selected observations are prefetched meanwhile. */
export function loadSeries(
  code: string,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<MacroSeriesShape | null> {
  const { valid, isUseless } = observations.selected(context, info, 'MacroSeries', 'observations');
  // Only `observations` is selected, with invalid arguments, which that field reports: the name is never read.
  if (isUseless) return seriesOf({ code });
  const cache = catalog.cache(context.gateway);
  const load = () => {
    const { macroCatalog: ttl } = context.gateway.settings.ttl;
    const enough = { typeName: 'MacroSeries', fields: UNCHANGING, ttl };
    const known = expiredButEnough(cache, WHOLE, enough, context, info)?.byCode.get(code);
    if (known) return known;
    const loading = loadCatalog(null, context);
    // False if the last catalog, if any, lacks the series.
    const isLikely = cache.lastKnown(WHOLE)?.value.byCode.has(code) ?? true;
    if (loading instanceof Promise)
      for (const args of valid)
        prefetchIf(isLikely, (own) => observations.load(code, args, own), context);
    return whenReady(loading, ({ value }) => value.byCode.get(code) ?? null);
  };
  // Another process may have stored a catalog.
  return cache.lastKnown(WHOLE) ? load() : whenReady(cache.catchUp(WHOLE), load);
}
