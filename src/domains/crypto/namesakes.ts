import type { Cached } from '../../cache/cached.ts';
import type { Context } from '../../graph/context.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import type { AssetList } from './asset-list.ts';
import { freshCount, knownLists } from './datasets.ts';
import { latestFirst, orOld } from './fallbacks.ts';
import { foreseeList } from './foresee.ts';
import { currentList, loadRanked } from './lists.ts';
import type { Market } from './market.ts';
import { type CryptoAssetShape, MAX_ASSETS } from './records.ts';

/** Assets whose ticker stands for another asset, of better rank: only lists by rank have them. */

type Named = Pick<CryptoAssetShape, 'symbol' | 'name'>;

/** Loads such an asset from the current list, else from the first 500; null if it is not among them. */
export function loadNamesake(
  market: Market,
  { symbol, name }: Named,
  context: Context,
): Maybe<CryptoAssetShape | null> {
  const { gateway, operation } = context;
  const isMeant = (asset: CryptoAssetShape) =>
    asset.isNamesake && asset.symbol === symbol && asset.name === name;
  const namesakeIn = (list: Cached<AssetList>): Cached<CryptoAssetShape | null> => ({
    ...list,
    value: list.value.all.find(isMeant) ?? null,
  });
  const old = () =>
    latestFirst(knownLists(market, 0, gateway).map(namesakeIn)).filter(
      ({ value }) => value !== null,
    );
  const current = currentList(market, context);
  return whenReady(
    current && whenReady(current, namesakeIn),
    (known): Maybe<CryptoAssetShape | null> => {
      if (known?.value) return known.value;
      const all = whenReady(loadRanked(market, MAX_ASSETS, context), namesakeIn);
      return whenReady(orOld(all, old, operation), ({ value }) => value);
    },
  );
}

/** Tells a dry run that once such an asset has come, its prices in these markets may need a list each. */
export function foreseeNamesakePrices(markets: readonly Market[], context: Context): void {
  for (const market of markets)
    if (freshCount(market, 0, context) === undefined) foreseeList(market, context);
}
