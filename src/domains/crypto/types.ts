import { builder } from '../../graph/builder.ts';
import { whenReady } from '../../maybe.ts';
import { Node } from '../../graph/node.ts';
import { noteInUse } from './in-use.ts';
import {
  type CandleInterval as Interval,
  type ConvertCurrency as Currency,
  hasDollars,
} from './market.ts';
import { loadAsset } from './one-asset.ts';
import { loadNamesake } from './namesakes.ts';
import { type CryptoAssetShape, tickerOf } from './records.ts';

/** The types of the crypto domain (spec section 2.7). */

export const ConvertCurrency = builder.enumType('ConvertCurrency', {
  description: 'A currency that prices can be in.',
  values: {
    USD: { description: 'US dollar' },
    TRY: { description: 'Turkish lira' },
    EUR: { description: 'Euro' },
  } satisfies Record<Currency, object>,
});

export const CandleInterval = builder.enumType('CandleInterval', {
  description: "The upstream's candle intervals.",
  values: {
    ONE_MINUTE: { description: 'One minute (1m).' },
    FIVE_MINUTES: { description: 'Five minutes (5m).' },
    FIFTEEN_MINUTES: { description: 'Fifteen minutes (15m).' },
    ONE_HOUR: { description: 'One hour (1h).' },
    FOUR_HOURS: { description: 'Four hours (4h).' },
    ONE_DAY: { description: 'One day (1d).' },
    ONE_WEEK: { description: 'One week (1w).' },
  } satisfies Record<Interval, object>,
});

export const CryptoAsset = builder.objectRef<CryptoAssetShape>('CryptoAsset').implement({
  interfaces: [Node],
  description: 'A crypto asset with its prices in one currency.',
  fields: (t) => ({
    symbol: t.exposeString('symbol', { description: 'Ticker.' }),
    name: t.exposeString('name', { description: 'Name of the asset.' }),
    rank: t.exposeInt('rank', { nullable: true, description: 'Rank by market cap.' }),
    price: t.exposeFloat('price', { description: 'In the currency of convert.' }),
    convert: t.field({
      type: ConvertCurrency,
      description: 'The currency of price.',
      resolve: ({ market }) => market.convert,
    }),
    priceUsd: t.exposeFloat('priceUsd', { nullable: true, description: 'Price in US dollars.' }),
    priceIn: t.float({
      nullable: true,
      description:
        'Price in another currency. One upstream request per currency covers all assets of the operation.',
      args: {
        convert: t.arg({
          type: ConvertCurrency,
          required: true,
          description: 'The other currency.',
        }),
      },
      resolve(asset, { convert }, context) {
        const { market, price, priceUsd } = asset;
        if (convert === market.convert) return price;
        if (convert === 'USD' && hasDollars(market) && priceUsd !== null) return priceUsd;
        const other = { ...market, convert };
        noteInUse(other, context);
        const found = asset.isNamesake
          ? loadNamesake(other, asset, context)
          : whenReady(loadAsset(other, tickerOf(asset), context), ({ value }) => value);
        return whenReady(found, (inOther) => inOther?.price ?? null);
      },
    }),
    change1h: t.exposeFloat('change1h', {
      nullable: true,
      description: 'Change in 1 hour, percent.',
    }),
    change24h: t.exposeFloat('change24h', {
      nullable: true,
      description: 'Change in 24 hours, percent.',
    }),
    change7d: t.exposeFloat('change7d', {
      nullable: true,
      description: 'Change in 7 days, percent.',
    }),
    volume24h: t.exposeFloat('volume24h', {
      nullable: true,
      description: 'Trading volume of the last 24 hours.',
    }),
    marketCap: t.exposeFloat('marketCap', {
      nullable: true,
      description: 'Market capitalization.',
    }),
    circulatingSupply: t.exposeFloat('circulatingSupply', {
      nullable: true,
      description: 'Circulating supply.',
    }),
    maxSupply: t.exposeFloat('maxSupply', { nullable: true, description: 'Maximum supply.' }),
    dominance: t.exposeFloat('dominance', {
      nullable: true,
      description: 'Share of the whole market, percent.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last update of the record.',
    }),
  }),
});
