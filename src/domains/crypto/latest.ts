import { type Cached, isLater } from '../../cache/cached.ts';
import type { Context } from '../../graph/context.ts';
import { type Assets, assetsOf } from './asset-list.ts';
import { byTicker, knownLists } from './datasets.ts';
import { latestFirst } from './fallbacks.ts';
import type { Market } from './market.ts';
import { tickerOf } from './records.ts';

/**
 * Returns the assets of a market in answers that came after an old one, which is served while the upstream fails; the
 * latest last. Other lists and assets by ticker count: they may have been shown, and prices must not go back.
 */
export function laterThan(old: Cached<Assets>, market: Market, { gateway }: Context): Assets[] {
  const { lastKnown } = byTicker.cache(gateway);
  const lists = knownLists(market, 0, gateway).map(assetsOf);
  const named = old.value.flatMap((asset) => {
    const known = asset.isNamesake ? undefined : lastKnown({ market }, tickerOf(asset));
    return known?.value ? [{ ...known, value: [known.value] }] : [];
  });
  const all: Cached<Assets>[] = [...lists, ...named];
  const later = latestFirst(all.filter((one) => isLater(one, old)));
  return later.map(({ value }) => value).toReversed();
}
