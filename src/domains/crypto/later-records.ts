import type { Cached, Fetched } from '../../cache/cached.ts';
import type { AssetList } from './asset-list.ts';
import type { CryptoAssetShape } from './records.ts';

/**
 * Keeps prices from going back: of two requests in flight at the same time, the one that the upstream has answered first
 * may arrive last, for example because it is the longer one and the line is slow.
 */

type Asset = CryptoAssetShape;

/** Returns what is cached about a ticker, however old it is. */
export type KnownRecords = (ticker: string) => readonly Cached<Asset | null>[];

/** When records came that are also in a later answer, which has taken them over. */
const cameAt = new WeakMap<Asset, number>();

/**
 * Returns an answer with those of its assets replaced of which a cached record states a later update. The record must
 * have come at most `withinMs` before this answer: what is older cannot have been in flight at the same time, so the
 * time that it states is wrong. Ranks stay those of the answer, in which each of them occurs once.
 */
export function withLater(
  answer: Fetched<AssetList>,
  known: KnownRecords,
  withinMs: number,
): Fetched<AssetList> {
  const since = answer.origin.retrievedAt - withinMs;
  const bySymbol = new Map(answer.value.bySymbol);
  const later = new Map<Asset, Asset>();
  for (const [ticker, asset] of bySymbol) {
    let best = { record: asset, at: since };
    for (const { value, origin } of known(ticker)) {
      const at = (value && cameAt.get(value)) ?? origin.retrievedAt;
      if (value && at >= since && isLater(value, best.record)) best = { record: value, at };
    }
    if (best.record === asset) continue;
    const replaced = { ...best.record, rank: asset.rank };
    cameAt.set(replaced, best.at);
    later.set(asset, replaced);
    bySymbol.set(ticker, replaced);
  }
  if (later.size === 0) return answer;
  const all = answer.value.all.map((asset) => later.get(asset) ?? asset);
  return { ...answer, value: { ...answer.value, all, bySymbol } };
}

/** Whether a record is of the same asset and states a later update. */
function isLater(record: Asset, than: Asset): boolean {
  // Tickers are not guaranteed to be unique.
  if (record.id !== than.id || record.name !== than.name) return false;
  if (record.updatedAt === than.updatedAt) return false;
  return Date.parse(record.updatedAt ?? '') > Date.parse(than.updatedAt ?? '');
}
