import { z } from 'zod';
import { currencyPair, listOf, MAX_ITEMS, parseArguments } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { sharedPollers } from '../../graph/live.ts';
import { streamOfState } from '../../graph/streams.ts';
import { answers, loadRates, type Rates } from './loaders.ts';
import { ratesEndpoint } from './records.ts';
import { FxRate } from './types.ts';

/** The subscription field of the FX domain: the rates are polled once for all subscribers. */

const pairsArguments = z.object({
  pairs: listOf(currencyPair).refine((pairs) => pairs.length > 0, 'must name at least one pair'),
});

const pollerOf = sharedPollers<'all', Rates, 'all'>({
  endpoint: ratesEndpoint,
  keyOf: (key) => key,
  pollOf: () => async (context) => {
    const { value } = await loadRates(context);
    return { value, nextAt: context.operation.freshUntil };
  },
  news: { answers, isAbout: () => true },
});

builder.subscriptionField('fxRatesUpdated', (t) =>
  t.field({
    type: [FxRate],
    description:
      'The requested pairs, now and whenever one of them changes. A poll costs what the query costs, at most once per time to live, for all subscribers together.',
    args: {
      pairs: t.arg({
        type: ['CurrencyPair'],
        required: true,
        description: `E.g. USDTRY. At most ${MAX_ITEMS}.`,
      }),
    },
    subscribe(_root, args, context) {
      const { pairs } = parseArguments(pairsArguments, args);
      const asked = [...new Set(pairs)];
      const poller = pollerOf(context.gateway, 'all');
      return streamOfState({ context, poller }, ({ byPair }) =>
        asked.flatMap((pair) => byPair.get(pair) ?? []),
      );
    },
    resolve: (rates) => rates,
  }),
);
