import { z } from 'zod';
import { listOf, MAX_ITEMS, parseArguments, symbol } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { sharedPollers } from '../../graph/live.ts';
import { namesBelow } from '../../graph/selection.ts';
import { streamOfState } from '../../graph/streams.ts';
import { answers } from './arrivals.ts';
import type { Assets } from './asset-list.ts';
import { noteInUse } from './in-use.ts';
import { loadAssets } from './loaders.ts';
import { convertArgument, type Market, marketKey } from './market.ts';
import { pricesEndpoint } from './records.ts';
import { ConvertCurrency, CryptoAsset } from './types.ts';

/** The subscription field of the crypto domain: subscribers to the same assets share a poller. */

const assetsArguments = z.object({
  symbols: listOf(symbol).refine((symbols) => symbols.length > 0, 'must name at least one asset'),
  convert: convertArgument,
});

/** What a poller polls. */
interface Key {
  market: Market;
  /** In alphabetical order, so that the same assets have the same key. */
  symbols: readonly string[];
}

const pollerOf = sharedPollers<Key, Assets, Market>({
  endpoint: pricesEndpoint,
  keyOf: ({ market, symbols }) => `${marketKey(market)} ${symbols.join(',')}`,
  sendsInput: () => true,
  pollOf:
    ({ market, symbols }) =>
    async (context) => {
      // Its answers serve queries in dollars, too, if it is in another currency.
      noteInUse(market, context);
      const { value } = await loadAssets(market, { symbols }, context);
      return { value, nextAt: context.operation.freshUntil };
    },
  news: { answers, isAbout: (market, key) => marketKey(market) === marketKey(key.market) },
});

/** Fields that may differ if only the time of an asset's update does. */
const SHOWS_TIME = new Set(['updatedAt', 'priceIn']);

/** Removes the time of the update: if only that changes, it is no news to subscribers that select no such field. */
const untimed = (assets: Assets) => assets.map((asset) => ({ ...asset, updatedAt: null }));

builder.subscriptionField('cryptoAssetsUpdated', (t) =>
  t.field({
    type: [CryptoAsset],
    description:
      'The requested assets, now and whenever one of them changes. A poll costs what the query costs, at most once per time to live and currency, for all subscribers together.',
    args: {
      symbols: t.arg.stringList({
        required: true,
        description: `Tickers, case-insensitive; at most ${MAX_ITEMS}.`,
      }),
      convert: t.arg({
        type: ConvertCurrency,
        defaultValue: 'USD',
        description: 'The currency of the prices.',
      }),
    },
    subscribe(_root, args, context, info) {
      const { symbols, convert } = parseArguments(assetsArguments, args);
      const market: Market = { convert, exchange: null, interval: null };
      const key = { market, symbols: [...new Set(symbols)].toSorted() };
      const poller = pollerOf(context.gateway, key);
      const isTimed = namesBelow(info).some((name) => SHOWS_TIME.has(name));
      return streamOfState({ context, poller }, (assets) => assets, isTimed ? undefined : untimed);
    },
    resolve: (assets) => assets,
  }),
);
