import { createContextCache } from '@pothos/core';
import { z } from 'zod';
import { listOf, MAX_ITEMS, parseArguments, symbol } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import type { Gateway } from '../../graph/context.ts';
import { sharedPollers } from '../../graph/live.ts';
import { streamOfState } from '../../graph/streams.ts';
import { answers } from './arrivals.ts';
import { marketKey, type RankedAssets } from './asset-list.ts';
import { loadAssets } from './loaders.ts';
import { convertArgument, type Market, pricesEndpoint } from './records.ts';
import { ConvertCurrency, CryptoAsset } from './types.ts';

/** The subscription field of the crypto domain: subscribers to the same assets share a poller. */

const assetsArguments = z.object({
  symbols: listOf(symbol).refine((symbols) => symbols.length > 0, 'must name an asset'),
  convert: convertArgument,
});

/** What a poller polls. */
interface Key {
  market: Market;
  /** In alphabetical order, so that the same assets have the same key. */
  symbols: readonly string[];
}

const pollers = sharedPollers<Key, RankedAssets>(
  pricesEndpoint,
  ({ market, symbols }) => `${marketKey(market)} ${symbols.join(',')}`,
  ({ market, symbols }) =>
    async (context) => {
      const { value } = await loadAssets(market, { symbols }, context);
      return { value, nextAt: context.operation.freshUntil };
    },
);

/** What a question has brought is news for subscribers, too. */
const watching = createContextCache((gateway: Gateway) =>
  answers.watch(gateway, (market) => {
    const changed = marketKey(market);
    pollers.look(gateway, (key) => marketKey(key.market) === changed);
  }),
);

builder.subscriptionField('cryptoAssetsUpdated', (t) =>
  t.field({
    type: [CryptoAsset],
    description:
      'The asked assets, now and whenever one of them changes. Each look costs what the query does, once in its time to live, for all who are subscribed.',
    args: {
      symbols: t.arg.stringList({
        required: true,
        description: `Tickers; case-insensitive. At most ${MAX_ITEMS}.`,
      }),
      convert: t.arg({
        type: ConvertCurrency,
        defaultValue: 'USD',
        description: 'The currency of the prices.',
      }),
    },
    subscribe(_root, args, context) {
      const { gateway } = context;
      const { symbols, convert } = parseArguments(assetsArguments, args);
      const market: Market = { convert, exchange: null, interval: null };
      watching(gateway);
      const poller = pollers.pollerOf(gateway, {
        market,
        symbols: [...new Set(symbols)].toSorted(),
      });
      return streamOfState({ context, poller }, ({ all }) => all);
    },
    resolve: (assets) => assets,
  }),
);
