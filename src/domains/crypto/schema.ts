import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { Cached } from '../../cache/cached.ts';
import { AT_MOST, listOf, paging, parseArguments, symbol } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import {
  type Connection,
  connectionOf,
  connectionType,
  pageArguments,
} from '../../graph/connection.ts';
import type { Context } from '../../graph/context.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { checkCursors, type OrderBy } from '../../graph/order.ts';
import { lengthFor, type PageArguments, withAfterIn } from '../../graph/page.ts';
import { namesBelow } from '../../graph/selection.ts';
import type { Assets } from './asset-list.ts';
import { consistent } from './consistent.ts';
import { loadOnePriced, loadPriced } from './dollar-prices.ts';
import { startPricesOf } from './loaders.ts';
import {
  candleInterval,
  convertArgument,
  exchangeArgument,
  type Market,
  marketOf,
} from './market.ts';
import { type CryptoAssetShape, MAX_ASSETS } from './records.ts';
import { assetOrder } from './order.ts';
import { CandleInterval, ConvertCurrency, CryptoAsset } from './types.ts';

/** The query fields of the crypto domain, and their arguments. */

const assetArguments = z.object({ symbol, convert: convertArgument, exchange: exchangeArgument });
const filterArguments = z.object({
  symbols: listOf(symbol).nullish(),
  exchange: exchangeArgument,
  interval: candleInterval.nullish(),
});
const listArguments = z
  .object({
    filter: filterArguments.nullish(),
    orderBy: assetOrder.argument,
    convert: convertArgument,
    ...paging('cryptoAssets'),
  })
  .superRefine(checkCursors);

interface CryptoConnection extends Connection<CryptoAssetShape> {
  market: Market;
}

const CryptoAssetConnection = connectionType<CryptoAssetShape, CryptoConnection>(CryptoAsset);

builder.objectFields(CryptoAssetConnection, (t) => ({
  convert: t.field({
    type: ConvertCurrency,
    description: 'The currency of the prices.',
    resolve: ({ market }) => market.convert,
  }),
  timestamp: t.field({
    type: 'DateTime',
    nullable: true,
    description: "The upstream's timestamp of the prices.",
    resolve: ({ provenance }) => provenance.origin.timestamp,
  }),
}));

const CryptoAssetFilter = builder.inputType('CryptoAssetFilter', {
  description: 'Which assets, and where they are traded.',
  fields: (t) => ({
    symbols: t.stringList({
      description: `Tickers, case-insensitive; ${AT_MOST} Of assets that share a ticker, the one with the best rank. If empty, the first assets by rank.`,
    }),
    exchange: t.string({
      description: 'Prices on this exchange; sent to the upstream in lower case.',
    }),
    interval: t.field({
      type: CandleInterval,
      description:
        'Candle interval that is passed on to the upstream, whose documentation shows no candle record. Rarely of use: it costs a credit of its own, gives assets other ids, and the upstream may answer with the same records. TimeSeries.candles has candles of FX and macro series.',
    }),
  }),
});

/**
 * Returns how many of the first assets by rank a page needs: all of them if they are ordered or counted, otherwise as
 * many as it reaches. `hasNextPage` takes one more, since the upstream does not state how many assets there are.
 */
function neededFor(
  order: OrderBy | null | undefined,
  page: PageArguments,
  info: GraphQLResolveInfo,
): number {
  const names = new Set(namesBelow(info));
  if (order || names.has('totalCount')) return MAX_ASSETS;
  return Math.max(1, lengthFor(page) + Number(names.has('hasNextPage')));
}

type ListArguments = z.infer<typeof listArguments>;

/** Loads the assets that a page is cut out of. */
function loadForPage(
  market: Market,
  { filter, orderBy: order, ...page }: ListArguments,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<Cached<Assets>> {
  const symbols = filter?.symbols ?? [];
  const isEmpty = page.first === 0 || page.last === 0;
  const options = { info, order: order?.field, isEmpty };
  const load = (needed: number): Maybe<Cached<Assets>> => {
    const wanted = { symbols, needed };
    const assets = loadPriced(market, wanted, context, options);
    if (symbols.length > 0 || !page.after) return assets;
    return whenReady(assets, (found) => {
      const { length } = found.value;
      // The cursor's asset may have fallen since, so that the page reaches further than it seemed.
      const reach = Math.min(MAX_ASSETS, neededFor(order, withAfterIn(found.value, page), info));
      return length >= needed && length < reach ? load(reach) : found;
    });
  };
  return load(neededFor(order, page, info));
}

builder.queryFields((t) => ({
  cryptoAsset: t.field({
    type: CryptoAsset,
    nullable: true,
    description:
      'One asset; null if the upstream does not know it. For each currency and exchange, the assets of an operation that are among the first 500 cost one credit together; all others cost one more, and another one if an asset has left the first 500 since they were last requested. Right after a start, and over a slow connection, lists are shorter than 500: assets missing from them may cost one more.',
    args: {
      symbol: t.arg.string({ required: true, description: 'Ticker; case-insensitive.' }),
      convert: t.arg({
        type: ConvertCurrency,
        defaultValue: 'USD',
        description: 'The currency of price.',
      }),
      exchange: t.arg.string({
        description: 'Prices on this exchange; sent to the upstream in lower case.',
      }),
    },
    resolve(_root, args, context, info) {
      const asked = parseArguments(assetArguments, args);
      return loadOnePriced(marketOf(asked), asked.symbol, context, info);
    },
  }),
  cryptoAssets: t.field({
    type: CryptoAssetConnection,
    nullable: true,
    description:
      'Crypto prices. For each currency and exchange, assets among the first 500 cost one credit together; all others cost one more, and another one if an asset has left the first 500 since they were last requested. Right after a start, and over a slow connection, lists are shorter than 500: assets missing from them may cost one more. Ordering costs nothing: it sorts the symbols of the filter, or else the first 500 assets by rank, so "the largest gain" is the largest among those.',
    args: {
      filter: t.arg({
        type: CryptoAssetFilter,
        description: 'Default: the first assets by rank.',
      }),
      orderBy: t.arg({ type: assetOrder.type, description: 'Default: by rank.' }),
      convert: t.arg({
        type: ConvertCurrency,
        defaultValue: 'USD',
        description: 'The currency of the prices.',
      }),
      ...pageArguments,
    },
    resolve(_root, args, context, info) {
      const asked = parseArguments(listArguments, args);
      const { filter, orderBy: order, convert: currency, ...page } = asked;
      const market = marketOf({ ...filter, convert: currency });
      const pageOf = (cached: Cached<Assets>) => {
        const { kind, all } = assetOrder.sort('cryptoAssets', cached.value, order);
        return { ...connectionOf(kind, all, cached, page), market };
      };
      const assets = loadForPage(market, asked, context, info);
      const startBelow = (found: Cached<Assets>) =>
        startPricesOf(pageOf(found).nodes, context, info);
      return whenReady(consistent(assets, context, info, startBelow), pageOf);
    },
  }),
}));
