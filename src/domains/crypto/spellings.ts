import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../../bounded-map.ts';
import type { Gateway } from '../../graph/context.ts';
import type { CryptoAssetShape } from './records.ts';

/**
 * How the upstream spells tickers that are not all capitals, such as stETH. Clients may write them in any case; the
 * spec does not state whether the upstream recognizes any case but its own.
 */

const MAX_SPELLINGS = 10_000;

const spellingsOf = createContextCache((_gateway: Gateway) =>
  createBoundedMap<string, string>(MAX_SPELLINGS),
);

/** Learns the spellings of assets, which are given by their tickers in capitals. */
export function noteSpellings(
  gateway: Gateway,
  assets: ReadonlyMap<string, CryptoAssetShape>,
): void {
  const spellings = spellingsOf(gateway);
  for (const [ticker, { symbol }] of assets) {
    const spelling = symbol.toWellFormed();
    if (spelling !== ticker) spellings.set(ticker, spelling);
    else spellings.delete(ticker);
  }
}

/** Returns tickers in the upstream's spelling, or in capitals if that is unknown. */
export function spelled(gateway: Gateway, tickers: readonly string[]): string[] {
  const spellings = spellingsOf(gateway);
  return tickers.map((ticker) => spellings.get(ticker) ?? ticker);
}
