/** Names that `exchange` accepts, with their share of an asset's 24-hour volume. Not in the spec: the real list. */
export const EXCHANGES: readonly (readonly [name: string, share: number])[] = [
  ['binance', 0.34],
  ['bybit', 0.12],
  ['okx', 0.11],
  ['coinbase', 0.1],
  ['kucoin', 0.05],
  ['kraken', 0.04],
  ['btcturk', 0.02],
  ['paribu', 0.02],
];
