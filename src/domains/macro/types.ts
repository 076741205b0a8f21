import type { Frequency as FrequencyName } from '../../cache/frequency.ts';
import { LAST_VALUES } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { Node } from '../../graph/node.ts';
import { checkSamples } from '../../graph/sampling.ts';
import { TimeSeries } from '../../graph/time-series.ts';
import { observations } from './loaders.ts';
import type { MacroSeriesShape } from './records.ts';

/** The types of the macro domain (spec section 2.2). */

const Frequency = builder.enumType('Frequency', {
  description: 'How often a series has a value.',
  values: {
    DAILY: { description: 'Every day, or every business day.' },
    WEEKLY: { description: 'Once a week.' },
    MONTHLY: { description: 'Once a month.' },
    QUARTERLY: { description: 'Once a quarter.' },
    YEARLY: { description: 'Once a year.' },
    IRREGULAR: { description: 'At irregular intervals.' },
  } satisfies Record<FrequencyName, object>,
});

export const MacroSeries = builder.objectRef<MacroSeriesShape>('MacroSeries').implement({
  interfaces: [Node],
  description: 'A macroeconomic series of the catalog.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Dotted series code.' }),
    name: t.exposeString('name', { nullable: true, description: 'What the series measures.' }),
    frequency: t.field({
      type: Frequency,
      nullable: true,
      description:
        'How often the series has a value, inferred from its values; null until it is known. Costs nothing: no values are requested for it, but values that are cached, or that the same operation requests, are used.',
      resolve: ({ code }, _args, context) => observations.frequency(code, context),
    }),
    observations: t.field({
      type: TimeSeries,
      nullable: true,
      description:
        'Values by day, both ends included. Default range: the last 30 days. All ranges and last values of a series usually cost one unit of macro quota together. A range far from the others costs one more if an answer with all days in between would take too long. Last values cost one more if they lie further back than expected, and several if the upstream refuses long ranges.',
      args: {
        start: t.arg({ type: 'Date', description: 'First day; default: 30 days before today.' }),
        end: t.arg({
          type: 'Date',
          description: 'Last day; default: today. An end before the default start needs a start.',
        }),
        last: t.arg.int({
          description: `Number of last values to return, counted back from end, however far back they lie (12 of a monthly series: a year); not together with start. ${LAST_VALUES}`,
        }),
      },
      resolve({ code }, args, context, info) {
        checkSamples(info);
        return observations.load(code, args, context);
      },
    }),
  }),
});
