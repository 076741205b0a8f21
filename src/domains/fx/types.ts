import { LAST_VALUES } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { rounded } from '../../graph/decimals.ts';
import { Node } from '../../graph/node.ts';
import { Provenance } from '../../graph/provenance.ts';
import { checkSamples } from '../../graph/sampling.ts';
import { TimeSeries } from '../../graph/time-series.ts';
import type { ConversionShape } from './conversion.ts';
import { history, loadRates } from './loaders.ts';
import type { FxRateShape } from './records.ts';

/** The types of the FX domain (spec section 2.2). */

export const FxRate = builder.objectRef<FxRateShape>('FxRate').implement({
  interfaces: [Node],
  description: 'Reference rate of a currency pair: one unit of base in units of quote.',
  fields: (t) => ({
    pair: t.expose('pair', { type: 'CurrencyPair', description: 'Base and quote together.' }),
    base: t.expose('base', { type: 'CurrencyCode', description: 'The currency that is priced.' }),
    quote: t.expose('quote', {
      type: 'CurrencyCode',
      description: 'The currency that the price is in.',
    }),
    buying: t.exposeFloat('buying', { description: 'Buying rate.' }),
    selling: t.exposeFloat('selling', { description: 'Selling rate.' }),
    mid: t.exposeFloat('mid', {
      description: 'The mean of buying and selling, with at most one decimal more than they have.',
    }),
    spread: t.exposeFloat('spread', {
      description: 'selling minus buying, with as many decimals as they have.',
    }),
    history: t.field({
      type: TimeSeries,
      nullable: true,
      description:
        'Values by day, both ends included. Default range: from 7 days before today until today. All ranges and last values of a pair usually cost one unit of FX quota together. A range far from the others costs one more if an answer with all days in between would take too long. Last values cost one more if they lie further back than expected, and several if the upstream refuses long ranges.',
      args: {
        start: t.arg({ type: 'Date', description: 'First day; default: 7 days before today.' }),
        end: t.arg({
          type: 'Date',
          description: 'Last day; default: today. An end before the default start needs a start.',
        }),
        last: t.arg.int({
          description: `Number of last values to return, counted back from end, however far back they lie; not together with start. ${LAST_VALUES}`,
        }),
      },
      resolve({ base, quote }, args, context, info) {
        checkSamples(info);
        return history.load(base + quote, args, context);
      },
    }),
  }),
});

export const Conversion = builder.objectRef<ConversionShape>('Conversion').implement({
  description:
    'An amount converted to another currency at the mid rates of the pairs in path: one pair, or two by way of a third currency.',
  fields: (t) => ({
    amount: t.exposeFloat('amount', { description: 'The amount that was converted.' }),
    from: t.expose('from', { type: 'CurrencyCode', description: 'The currency it was in.' }),
    to: t.expose('to', { type: 'CurrencyCode', description: 'The currency of result.' }),
    rate: t.exposeFloat('rate', { description: 'What one unit of from is worth in to.' }),
    result: t.float({
      description: 'amount times rate, to 15 significant digits.',
      resolve: ({ amount, rate }) => rounded(amount * rate),
    }),
    path: t.field({
      type: [FxRate],
      description:
        'The rates used, in order; empty if both currencies are the same. A pair may be quoted the other way round; its inverse is used then.',
      resolve: ({ path }) => path,
    }),
    provenance: t.field({
      type: Provenance,
      description: 'Where the rates come from and how old they are.',
      resolve: (_conversion, _args, context) => loadRates(context),
    }),
  }),
});
