import { builder } from '../../graph/builder.ts';
import { Node } from '../../graph/node.ts';
import { TimeSeries } from '../../graph/time-series.ts';
import { loadObservations } from './loaders.ts';
import type { MacroSeriesShape } from './records.ts';

/** The type of the macro domain (spec section 2.2). */

export const MacroSeries = builder.objectRef<MacroSeriesShape>('MacroSeries').implement({
  interfaces: [Node],
  description: 'A macroeconomic series of the catalog.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Dotted series code.' }),
    name: t.exposeString('name', { nullable: true, description: 'What the series measures.' }),
    observations: t.field({
      type: TimeSeries,
      nullable: true,
      description: 'Values by day. Default range: the last 30 days. Both ends included.',
      args: {
        start: t.arg({ type: 'Date', description: 'First day; by default 30 days before today.' }),
        end: t.arg({ type: 'Date', description: 'Last day; by default today.' }),
      },
      resolve: ({ code }, args, context) => loadObservations(code, args, context),
    }),
  }),
});
