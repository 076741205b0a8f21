import { z } from 'zod';
import {
  AT_MOST,
  isAmong,
  listOf,
  paging,
  parseArguments,
  phrase,
  seriesCode,
  seriesPrefix,
} from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { connectionOf, connectionType, pageArguments } from '../../graph/connection.ts';
import { foreseeUnknownCount } from '../../graph/prefetch.ts';
import { whenReady } from '../../maybe.ts';
import { registerNode } from '../../graph/node.ts';
import { loadCatalog, loadSeries } from './loaders.ts';
import { isCode, type MacroSeriesShape } from './records.ts';
import { MacroSeries } from './types.ts';

/** The query fields of the macro domain, their arguments, and how a series is found by its id. */

const seriesArguments = z.object({ code: seriesCode });
const filterArguments = z.object({
  search: phrase.nullish(),
  codes: listOf(seriesCode).nullish(),
  codePrefix: seriesPrefix.nullish(),
});
type Filter = z.infer<typeof filterArguments>;
const listArguments = z.object({ filter: filterArguments.nullish(), ...paging('macroCatalog') });

const MacroSeriesConnection = connectionType(MacroSeries);

const MacroSeriesFilter = builder.inputType('MacroSeriesFilter', {
  description: 'All conditions must hold; an empty list is no condition.',
  fields: (t) => ({
    search: t.string({ description: "Sent to the upstream's catalog search." }),
    codes: t.stringList({ description: `Any of these series: ${AT_MOST}` }),
    codePrefix: t.string({
      description: 'Codes that begin with this text, e.g. TP.DK.',
    }),
  }),
});

function matches({ code }: MacroSeriesShape, { codes, codePrefix }: Filter): boolean {
  return isAmong(code, codes) && (!codePrefix || code.startsWith(codePrefix));
}

builder.queryFields((t) => ({
  macroSeries: t.field({
    type: MacroSeries,
    nullable: true,
    description:
      'One series of the catalog; null if none has this code. Costs at most one unit of macro quota; observations, if selected, usually cost one more.',
    args: {
      code: t.arg.string({
        required: true,
        description: 'Dotted series code, exactly as in the catalog; case-sensitive.',
      }),
    },
    resolve(_root, args, context, info) {
      const { code } = parseArguments(seriesArguments, args);
      return loadSeries(code, context, info);
    },
  }),
  macroCatalog: t.field({
    type: MacroSeriesConnection,
    nullable: true,
    description:
      'The catalog of macro series. Costs at most one unit of macro quota, and one for each search.',
    args: {
      filter: t.arg({ type: MacroSeriesFilter, description: 'Default: the whole catalog.' }),
      ...pageArguments,
    },
    resolve(_root, args, context, info) {
      const { filter, ...page } = parseArguments(listArguments, args);
      const catalog = loadCatalog(filter?.search ?? null, context);
      if (catalog instanceof Promise)
        foreseeUnknownCount('macro', context, info, 'MacroSeries', 'observations');
      return whenReady(catalog, (cached) => {
        const { all } = cached.value;
        const series = filter ? all.filter((item) => matches(item, filter)) : all;
        return connectionOf('macroCatalog', series, cached, page);
      });
    },
  }),
}));

/** Maximum length of a code in a node id, in characters: ids with longer ones are assumed not to be the gateway's. */
const MAX_CODE = 256;

registerNode('MacroSeries', ([code = '', ...rest], context, info) => {
  if (!isCode(code) || code.length > MAX_CODE || rest.length > 0) return undefined;
  return loadSeries(code, context, info);
});
