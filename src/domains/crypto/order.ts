import { builder } from '../../graph/builder.ts';
import { type Keys, orderInput } from '../../graph/order.ts';
import type { CryptoAssetShape } from './records.ts';

/** What assets can be ordered by. Ties, and assets without the value, stay in order of rank. */

export const ORDER_FIELDS = [
  'RANK',
  'PRICE',
  'CHANGE_1H',
  'CHANGE_24H',
  'CHANGE_7D',
  'VOLUME_24H',
  'MARKET_CAP',
] as const;

type Field = (typeof ORDER_FIELDS)[number];

export const ORDER_KEYS: Keys<CryptoAssetShape, Field> = {
  RANK: ({ rank }) => rank,
  PRICE: ({ price }) => price,
  CHANGE_1H: ({ change1h }) => change1h,
  CHANGE_24H: ({ change24h }) => change24h,
  CHANGE_7D: ({ change7d }) => change7d,
  VOLUME_24H: ({ volume24h }) => volume24h,
  MARKET_CAP: ({ marketCap }) => marketCap,
};

const CryptoAssetOrderField = builder.enumType('CryptoAssetOrderField', {
  description: 'What crypto assets can be ordered by; those without the value come last.',
  values: {
    RANK: { description: 'Rank by market cap: 1 is the largest, so ASC gives it first.' },
    PRICE: { description: 'Price in the currency of convert.' },
    CHANGE_1H: { description: 'Change in 1 hour.' },
    CHANGE_24H: { description: 'Change in 24 hours: DESC gives the largest gains first.' },
    CHANGE_7D: { description: 'Change in 7 days.' },
    VOLUME_24H: { description: 'Volume of 24 hours.' },
    MARKET_CAP: { description: 'Market capitalisation.' },
  } satisfies Record<Field, object>,
});

export const CryptoAssetOrder = orderInput('CryptoAssetOrder', CryptoAssetOrderField, {
  description: 'Ties, and all lists without an order, are by rank.',
  direction: 'DESC',
});
