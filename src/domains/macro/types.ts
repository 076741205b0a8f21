import type { Frequency as FrequencyName } from '../../cache/frequency.ts';
import { LAST_VALUES } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { Node } from '../../graph/node.ts';
import { checkSamples } from '../../graph/sampling.ts';
import { TimeSeries } from '../../graph/time-series.ts';
import { observations } from './loaders.ts';
import type { MacroSeriesShape } from './records.ts';

/** The type of the macro domain (spec section 2.2). */

const Frequency = builder.enumType('Frequency', {
  description: 'How often a series has a value.',
  values: {
    DAILY: { description: 'Each day, or each day that is no holiday.' },
    WEEKLY: { description: 'Once a week.' },
    MONTHLY: { description: 'Once a month.' },
    QUARTERLY: { description: 'Once in three months.' },
    YEARLY: { description: 'Once a year.' },
    IRREGULAR: { description: 'In no such rhythm.' },
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
        'How often the series has a value, told by its values; null until it is known. Costs nothing: its values are never asked for because of it, but once some are here, or come in the same operation, they tell.',
      resolve: ({ code }, _args, context) => observations.frequency(code, context),
    }),
    observations: t.field({
      type: TimeSeries,
      nullable: true,
      description:
        'Values by day. Default range: the last 30 days. Both ends included. Ranges and last values of one series mostly cost one unit of macro quota together. Those that lie far apart cost one more each where an answer with all days between would take too long. Last values cost one more where they lie further back than was expected, and several where the upstream refuses long ranges.',
      args: {
        start: t.arg({ type: 'Date', description: 'First day; by default 30 days before today.' }),
        end: t.arg({
          type: 'Date',
          description: 'Last day; by default today. One before the default start needs a start.',
        }),
        last: t.arg.int({
          description: `The last so many values up to end, however far back they lie (12 of a monthly series: a year); not together with start. ${LAST_VALUES}`,
        }),
      },
      resolve({ code }, args, context, info) {
        checkSamples(info);
        return observations.load(code, args, context);
      },
    }),
  }),
});
