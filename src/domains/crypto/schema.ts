import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import { listOf, paging, parseArguments, phrase, symbol } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import {
  type Connection,
  connectionOf,
  connectionType,
  pageArguments,
} from '../../graph/connection.ts';
import type { Context } from '../../graph/context.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { registerNode } from '../../graph/node.ts';
import { checkCursors, inOrder, orderBy } from '../../graph/order.ts';
import { loadPriced } from './dollar-prices.ts';
import { startPrices } from './loaders.ts';
import { neededFor } from './needed.ts';
import {
  type CandleInterval as Interval,
  convertArgument,
  convertCurrency,
  type CryptoAssetShape,
  exchangeOf,
  INTERVALS,
  type Market,
} from './records.ts';
import { CryptoAssetOrder, ORDER_FIELDS, ORDER_KEYS } from './order.ts';
import { CandleInterval, ConvertCurrency, CryptoAsset } from './types.ts';

/** The query fields of the crypto domain, their arguments, and how an asset is found by its id. */

const interval: z.ZodType<Interval> = z.string().refine(isInterval);
const exchange = phrase.nullish();

const assetArguments = z.object({ symbol, convert: convertArgument, exchange });
const filterArguments = z.object({
  symbols: listOf(symbol).nullish(),
  exchange,
  interval: interval.nullish(),
});
/** The parts of an asset's id. */
const idArguments = z.object({
  symbol,
  convert: convertCurrency,
  exchange,
  interval: interval.nullish(),
});
const listArguments = z
  .object({
    filter: filterArguments.nullish(),
    orderBy: orderBy(ORDER_FIELDS),
    convert: convertArgument,
    ...paging('cryptoAssets'),
  })
  .superRefine(checkCursors);

function isInterval(value: string): value is Interval {
  return Object.hasOwn(INTERVALS, value);
}

/** A market as arguments name it. */
interface MarketArguments {
  convert: Market['convert'];
  exchange?: string | null | undefined;
  interval?: Interval | null | undefined;
}

function marketOf(asked: MarketArguments): Market {
  return {
    convert: asked.convert,
    exchange: exchangeOf(asked.exchange),
    interval: asked.interval ?? null,
  };
}

interface CryptoConnection extends Connection<CryptoAssetShape> {
  market: Market;
}

const CryptoAssetConnection = connectionType<CryptoAssetShape, CryptoConnection>(
  CryptoAsset,
  'CryptoAsset',
);

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
      description: `Tickers; case-insensitive: at most 500. When empty, the first assets by rank.`,
    }),
    exchange: t.string({
      description: 'Prices of this exchange, sent to the upstream in small letters.',
    }),
    interval: t.field({
      type: CandleInterval,
      description: 'Sent to the upstream as it is; the spec shows no candle record.',
      deprecationReason:
        'Costs a credit of its own and gives assets another id, and brings no candle: the upstream answers with the same record. Of FX and macro series TimeSeries.candles makes candles.',
    }),
  }),
});

/** One asset, null where there is none. Its other prices that are selected are asked for meanwhile. */
function loadOne(
  market: Market,
  ticker: string,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<CryptoAssetShape | null> {
  const wanted = { symbols: [ticker] };
  const assets = loadPriced(market, wanted, context, { info });
  if (assets instanceof Promise) startPrices(market, wanted, context, info);
  return whenReady(assets, ({ value }) => value.all[0] ?? null);
}

builder.queryFields((t) => ({
  cryptoAsset: t.field({
    type: CryptoAsset,
    nullable: true,
    description: 'One asset; null where the upstream has none.',
    args: {
      symbol: t.arg.string({ required: true, description: 'Ticker; case-insensitive.' }),
      convert: t.arg({
        type: ConvertCurrency,
        defaultValue: 'USD',
        description: 'The currency of price.',
      }),
      exchange: t.arg.string({
        description: 'Prices of this exchange, sent to the upstream in small letters.',
      }),
    },
    resolve(_root, args, context, info) {
      const asked = parseArguments(assetArguments, args);
      return loadOne(marketOf(asked), asked.symbol, context, info);
    },
  }),
  cryptoAssets: t.field({
    type: CryptoAssetConnection,
    nullable: true,
    description:
      'Crypto prices. All assets among the first 500 cost one credit together, for each currency and exchange; all others one more. An order costs nothing: what is ordered are the symbols of the filter, else the first 500 assets by rank, so "the largest gain" is the largest among those.',
    args: {
      filter: t.arg({
        type: CryptoAssetFilter,
        description: 'By default the first assets by rank.',
      }),
      orderBy: t.arg({ type: CryptoAssetOrder, description: 'By default by rank.' }),
      convert: t.arg({
        type: ConvertCurrency,
        defaultValue: 'USD',
        description: 'The currency of the prices.',
      }),
      ...pageArguments,
    },
    resolve(_root, args, context, info) {
      const {
        filter,
        orderBy: order,
        convert: currency,
        ...page
      } = parseArguments(listArguments, args);
      const market = marketOf({ ...filter, convert: currency });
      const wanted = { symbols: filter?.symbols ?? [], needed: neededFor(order, page, info) };
      const assets = loadPriced(market, wanted, context, { info, order: order?.field });
      if (assets instanceof Promise) startPrices(market, wanted, context, info);
      return whenReady(assets, (cached) => {
        const { kind, all } = inOrder('cryptoAssets', cached.value.all, order, ORDER_KEYS);
        return { ...connectionOf(kind, all, cached, page), market };
      });
    },
  }),
}));

/** The parts of the id are the symbol and the market, where an empty part is null. */
registerNode('CryptoAsset', (parts, context, info) => {
  const [ticker, currency, exchangeName, period] = parts;
  const asked = idArguments.safeParse({
    symbol: ticker,
    convert: currency,
    exchange: exchangeName || null,
    interval: period || null,
  });
  if (!asked.success || parts.length !== 4) return undefined;
  return loadOne(marketOf(asked.data), asked.data.symbol, context, info);
});
