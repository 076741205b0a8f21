import { type GraphQLResolveInfo, Kind } from 'graphql';
import { type Context, perOperation } from '../../graph/context.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { type Tasks, track, whenEnded } from '../../shared/tasks.ts';
import { byRank, type RankedAssets } from './asset-list.ts';
import type { CryptoAssetShape } from './records.ts';

/**
 * All fields of an operation show the same record of an asset, although they may find it in different answers: clients
 * that keep objects by their ids would else write an older price over a newer one. So each field waits for the others.
 * The response leaves as a whole, and is not later for it.
 */

type Assets = readonly CryptoAssetShape[];

/** A list, with the record of each asset that is to be shown. */
type Shown = (assets: Assets) => Assets;

/** What a field has found. */
interface Found {
  value: RankedAssets;
  /** Whether it is past its time to live; undefined: nobody knows. */
  stale?: boolean;
}

/** What the fields of an operation find. */
interface Findings {
  underWay: Tasks;
  /** In the order in which they came; those past their time to live apart. */
  lists: Record<'fresh' | 'stale', Set<Assets>>;
  /** Resolves once all have come; undefined: nobody waits. */
  shown: Promise<Shown> | undefined;
}

const findingsOf = perOperation((_context: Context): Findings => ({
  underWay: new Set(),
  lists: { fresh: new Set(), stale: new Set() },
  shown: undefined,
}));

/**
 * What a field has found, as the operation shows it. `startBelow` is called where that is here and others are waited
 * for: to load meanwhile what is selected below it.
 */
export function consistent<T extends Found>(
  loading: Maybe<T>,
  context: Context,
  info: GraphQLResolveInfo,
  startBelow?: (found: T) => void,
): Maybe<T> {
  return isAlone(info) ? loading : amongOthers(loading, context, startBelow);
}

/** Beginnings of names: a field that is compiled has a longer one. */
const SHOWS_ASSETS = /^(cryptoAsset|node)/;

/** Whether no other field of the operation may show an asset, so that none is to be waited for. */
function isAlone({ fieldName, operation: { selectionSet } }: GraphQLResolveInfo): boolean {
  const may = selectionSet.selections.filter(
    (one) => one.kind !== Kind.FIELD || SHOWS_ASSETS.test(one.name.value),
  );
  return may.length === 1 && may[0]!.kind === Kind.FIELD && !fieldName.startsWith('nodes');
}

async function amongOthers<T extends Found>(
  loading: Maybe<T>,
  context: Context,
  startBelow?: (found: T) => void,
): Promise<T> {
  const findings = findingsOf(context);
  const { underWay, lists } = findings;
  const noted = whenReady(
    loading,
    ({ value, stale }) => void lists[stale ? 'stale' : 'fresh'].add(value.all),
  );
  if (noted instanceof Promise) track(underWay, noted);
  findings.shown ??= collect(findings, context);
  if (!(loading instanceof Promise)) {
    await whenFieldsBegun(context.resources);
    if (underWay.size > 0) startBelow?.(loading);
  }
  const shown = await findings.shown;
  const found = await loading;
  const all = shown(found.value.all);
  return all === found.value.all ? found : { ...found, value: { all } };
}

async function collect(findings: Findings, context: Context): Promise<Shown> {
  await whenFieldsBegun(context.resources);
  await whenEnded(findings.underWay);
  findings.shown = undefined;
  const { fresh, stale } = findings.lists;
  return bestOf([...fresh], [...stale]);
}

/** The best record of each asset in lists that have come one after the other; `stale`: in those past their time to live. */
export function bestOf(lists: readonly Assets[], stale: readonly Assets[] = []): Shown {
  if (lists.length + stale.length === 1) return (assets) => assets;
  const best = bestIn(stale);
  for (const [id, asset] of bestIn(lists)) best.set(id, completed(asset, best.get(id)));
  return (assets) => {
    const all = assets.map((asset) => best.get(asset.id) ?? asset);
    // The text of pages is remembered by their list (graph/page.ts).
    return all.every((asset, i) => asset === assets[i]) ? assets : all.toSorted(byRank);
  };
}

function bestIn(lists: readonly Assets[]): Map<string, CryptoAssetShape> {
  const best = new Map<string, CryptoAssetShape>();
  for (const asset of lists.flat()) {
    const earlier = best.get(asset.id);
    if (!earlier || isBetter(asset, earlier)) best.set(asset.id, asset);
  }
  return best;
}

/** A price that was made of one in another currency, with what only an answer in dollars tells: a stale one, if need be. */
function completed(asset: CryptoAssetShape, stale: CryptoAssetShape | undefined): CryptoAssetShape {
  if (!stale || !asset.isConverted || stale.isConverted) return asset;
  // A list is past its time to live where one of its assets is.
  if (updateOf(stale) > updateOf(asset)) return stale;
  const { volume24h, marketCap } = stale;
  return { ...asset, volume24h, marketCap };
}

/** What came later is better, unless it states an earlier update, or lacks fields that the other one has. */
function isBetter(later: CryptoAssetShape, earlier: CryptoAssetShape): boolean {
  if (later === earlier) return false;
  if (later.isConverted !== earlier.isConverted) return earlier.isConverted;
  return !(updateOf(later) < updateOf(earlier));
}

const updateOf = ({ updatedAt }: CryptoAssetShape) => Date.parse(updatedAt ?? '');
