import { z } from 'zod';
import {
  AT_MOST,
  currency,
  currencyPair,
  isAmong,
  listOf,
  paging,
  parseArguments,
} from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { connectionOf, connectionType, pageArguments } from '../../graph/connection.ts';
import { whenReady } from '../../maybe.ts';
import { registerNode } from '../../graph/node.ts';
import { pathBetween } from './conversion.ts';
import { loadRate, loadRateList } from './loaders.ts';
import type { FxRateShape } from './records.ts';
import { Conversion, FxRate } from './types.ts';

/** The query fields of the FX domain, their arguments, and how a rate is found by its id. */

const rateArguments = z.object({ pair: currencyPair });
const filterArguments = z.object({
  pairs: listOf(currencyPair).nullish(),
  base: currency.nullish(),
  quote: currency.nullish(),
});
type Filter = z.infer<typeof filterArguments>;
const listArguments = z.object({ filter: filterArguments.nullish(), ...paging('fxRates') });

/** Maximum amount to convert: above this, 15 significant digits no longer include hundredths. */
const MAX_AMOUNT = 1e13;
const conversionArguments = z.object({
  amount: z
    .number()
    .min(0, 'must not be negative')
    .max(MAX_AMOUNT, `must be at most ${MAX_AMOUNT}`),
  from: currency,
  to: currency,
});

const FxRateConnection = connectionType(FxRate);

const FxRateFilter = builder.inputType('FxRateFilter', {
  description: 'All conditions must hold; an empty list is no condition.',
  fields: (t) => ({
    pairs: t.field({ type: ['CurrencyPair'], description: `Any of these pairs: ${AT_MOST}` }),
    base: t.field({ type: 'CurrencyCode', description: 'Pairs that price this currency.' }),
    quote: t.field({ type: 'CurrencyCode', description: 'Pairs priced in this currency.' }),
  }),
});

function matches(rate: FxRateShape, { pairs, base, quote }: Filter): boolean {
  if (!isAmong(rate.base + rate.quote, pairs)) return false;
  return (!base || rate.base === base) && (!quote || rate.quote === quote);
}

builder.queryFields((t) => ({
  fxRate: t.field({
    type: FxRate,
    nullable: true,
    description:
      'The rate of one pair; null if the upstream has none. All rates of an operation cost at most one unit of FX quota together.',
    args: {
      pair: t.arg({ type: 'CurrencyPair', required: true, description: 'E.g. USDTRY or usd/try.' }),
    },
    resolve(_root, args, context, info) {
      const { pair } = parseArguments(rateArguments, args);
      return loadRate(pair, context, info);
    },
  }),
  fxRates: t.field({
    type: FxRateConnection,
    nullable: true,
    description: 'Current rates. All filters together cost at most one unit of FX quota.',
    args: {
      filter: t.arg({ type: FxRateFilter, description: 'Default: all rates.' }),
      ...pageArguments,
    },
    resolve(_root, args, context, info) {
      const { filter, ...page } = parseArguments(listArguments, args);
      return whenReady(loadRateList(context, info), (cached) => {
        const { all } = cached.value;
        const rates = filter ? all.filter((rate) => matches(rate, filter)) : all;
        return connectionOf('fxRates', rates, cached, page);
      });
    },
  }),
  convert: t.field({
    type: Conversion,
    nullable: true,
    description:
      'Converts an amount to another currency. Null if no path of at most two rates connects the two. If several currencies could be in between, the one with the smallest spreads is used. All conversions and rates of an operation cost at most one unit of FX quota together; converting a currency to itself costs none unless provenance is selected.',
    args: {
      amount: t.arg.float({
        required: true,
        defaultValue: 1,
        description: `How much: 0 to ${MAX_AMOUNT}.`,
      }),
      from: t.arg({ type: 'CurrencyCode', required: true, description: 'The currency it is in.' }),
      to: t.arg({
        type: 'CurrencyCode',
        required: true,
        description: 'The currency to convert to.',
      }),
    },
    resolve(_root, args, context, info) {
      const asked = parseArguments(conversionArguments, args);
      const { from, to } = asked;
      if (from === to) return { ...asked, rate: 1, path: [] };
      return whenReady(loadRateList(context, info), ({ value }) => {
        const found = pathBetween(value.all, from, to);
        return found ? { ...asked, ...found } : null;
      });
    },
  }),
}));

registerNode('FxRate', ([pair = '', ...rest], context, info) => {
  if (!/^[A-Z]{6}$/.test(pair) || rest.length > 0) return undefined;
  return loadRate(pair, context, info);
});
