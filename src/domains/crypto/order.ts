import { defineOrder } from '../../graph/order.ts';
import type { CryptoAssetShape } from './records.ts';

/** What assets can be ordered by. Ties, and assets without the value, stay in order of rank. */
export const assetOrder = defineOrder<CryptoAssetShape>('CryptoAsset', {
  description: 'Fields that crypto assets can be ordered by; assets without a value come last.',
  ties: 'Ties, and lists without an order, are sorted by rank.',
  direction: 'DESC',
  fields: {
    RANK: {
      description: 'Rank by market cap: 1 is the largest, so ASC gives it first.',
      keyOf: ({ rank }) => rank,
    },
    PRICE: { description: 'Price in the currency of convert.', keyOf: ({ price }) => price },
    CHANGE_1H: { description: 'Change in 1 hour.', keyOf: ({ change1h }) => change1h },
    CHANGE_24H: {
      description: 'Change in 24 hours: DESC gives the largest gains first.',
      keyOf: ({ change24h }) => change24h,
    },
    CHANGE_7D: { description: 'Change in 7 days.', keyOf: ({ change7d }) => change7d },
    VOLUME_24H: {
      description: 'Trading volume of the last 24 hours.',
      keyOf: ({ volume24h }) => volume24h,
    },
    MARKET_CAP: { description: 'Market capitalization.', keyOf: ({ marketCap }) => marketCap },
  },
});
