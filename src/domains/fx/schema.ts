import { z } from 'zod';
import { currency, currencyPair, paging, isAmong, parseArguments } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { connectionOf, connectionType, pageArguments } from '../../graph/connection.ts';
import { foreseeMany } from '../../graph/lookahead.ts';
import { whenReady } from '../../graph/maybe.ts';
import { Node, registerNode } from '../../graph/node.ts';
import { TimeSeries } from '../../graph/time-series.ts';
import { loadHistory, loadRate, loadRates } from './loaders.ts';
import type { FxRateShape } from './records.ts';

const pairArgument = z.object({ pair: currencyPair });
const listArguments = z.object({
  filter: z
    .object({
      pairs: z.array(currencyPair).nullish(),
      base: currency.nullish(),
      quote: currency.nullish(),
    })
    .nullish(),
  ...paging('fxRates'),
});

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
    mid: t.exposeFloat('mid', { description: 'The mean of buying and selling.' }),
    spread: t.exposeFloat('spread', { description: 'selling minus buying' }),
    history: t.field({
      type: TimeSeries,
      nullable: true,
      description:
        'Values by day. Defaults: start 7 days before today, end today. Both ends included.',
      args: {
        start: t.arg({ type: 'Date', description: 'First day; by default 7 days before today.' }),
        end: t.arg({ type: 'Date', description: 'Last day; by default today.' }),
      },
      resolve: ({ base, quote }, args, context) => loadHistory(base + quote, args, context),
    }),
  }),
});

registerNode('FxRate', ([pair = '', ...rest], context, info) => {
  if (!/^[A-Z]{6}$/.test(pair) || rest.length > 0) return undefined;
  return loadRate(pair, context, info);
});

const FxRateConnection = connectionType(FxRate, 'FxRate');

const FxRateFilter = builder.inputType('FxRateFilter', {
  description: 'All conditions must hold.',
  fields: (t) => ({
    pairs: t.field({ type: ['CurrencyPair'], description: 'Any of these pairs.' }),
    base: t.field({ type: 'CurrencyCode', description: 'Pairs that price this currency.' }),
    quote: t.field({ type: 'CurrencyCode', description: 'Pairs priced in this currency.' }),
  }),
});

builder.queryFields((t) => ({
  fxRate: t.field({
    type: FxRate,
    nullable: true,
    description: 'The rate of one pair; null where the upstream has none.',
    args: {
      pair: t.arg({ type: 'CurrencyPair', required: true, description: 'E.g. USDTRY or usd/try.' }),
    },
    resolve(_root, args, context, info) {
      const { pair } = parseArguments(pairArgument, args);
      return loadRate(pair, context, info);
    },
  }),
  fxRates: t.field({
    type: FxRateConnection,
    nullable: true,
    description: 'Current rates. All filters together cost one unit of FX quota at most.',
    args: {
      filter: t.arg({ type: FxRateFilter, description: 'By default all rates.' }),
      ...pageArguments,
    },
    resolve(_root, args, context, info) {
      const { filter, ...page } = parseArguments(listArguments, args);
      const all = loadRates(context);
      if (all instanceof Promise) foreseeMany('fx', context, info, 'FxRate', 'history');
      return whenReady(all, (held) => {
        const rates = held.value.all.filter((rate) => matches(rate, filter ?? {}));
        return connectionOf('fxRates', rates, held, page);
      });
    },
  }),
}));

type Filter = NonNullable<z.infer<typeof listArguments>['filter']>;

function matches(rate: FxRateShape, { pairs, base, quote }: Filter): boolean {
  if (!isAmong(rate.base + rate.quote, pairs)) return false;
  return (!base || rate.base === base) && (!quote || rate.quote === quote);
}
