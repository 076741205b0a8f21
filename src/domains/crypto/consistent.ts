import { type GraphQLResolveInfo, Kind } from 'graphql';
import { type Context, perOperation } from '../../graph/context.ts';
import { whenFieldsBegun } from '../../graph/time-slices.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { type Tasks, track, whenEnded } from '../../shared/tasks.ts';
import { type Assets, byRank } from './asset-list.ts';
import type { CryptoAssetShape } from './records.ts';

/**
 * Makes all fields of an operation show the same record of an asset, although they may find it in different answers:
 * clients that cache objects by id would otherwise overwrite a newer price with an older one. So each field waits for
 * the others, which does not delay the response: it is sent as a whole.
 */

/** Replaces each asset of a list with the record that the operation shows of it. */
type Shown = (assets: Assets) => Assets;

/** What a field has found. */
interface Found {
  value: Assets;
  /** Whether it is past its time to live; undefined if unknown. */
  stale?: boolean;
}

/** What the fields of an operation find. */
interface Findings {
  underWay: Tasks;
  /** In order of arrival, those past their time to live separately. */
  lists: Record<'fresh' | 'stale', Set<Assets>>;
  /** Resolves once all lists have come; undefined while no field waits. */
  shown: Promise<Shown> | undefined;
}

const findingsOf = perOperation((_context: Context): Findings => ({
  underWay: new Set(),
  lists: { fresh: new Set(), stale: new Set() },
  shown: undefined,
}));

/**
 * Returns what a field has found, as the operation shows it. `startBelow` is called if the field has its value already
 * and waits for others, to prefetch meanwhile what is selected below it.
 */
export function consistent<T extends Found>(
  loading: Maybe<T>,
  context: Context,
  info: GraphQLResolveInfo,
  startBelow?: (found: T) => void,
): Maybe<T> {
  return isAlone(info) ? loading : amongOthers(loading, context, startBelow);
}

/** Prefixes of the names of fields that show assets: a compiled field has a suffix. */
const SHOWS_ASSETS = /^(cryptoAsset|node)/;

/** Whether no other field of the operation may show an asset, so that there is none to wait for. */
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
    ({ value, stale }) => void lists[stale ? 'stale' : 'fresh'].add(value),
  );
  if (noted instanceof Promise) track(underWay, noted);
  findings.shown ??= collect(findings, context);
  if (!(loading instanceof Promise)) {
    await whenFieldsBegun(context.resources);
    if (underWay.size > 0) startBelow?.(loading);
  }
  const shown = await findings.shown;
  const found = await loading;
  const value = shown(found.value);
  return value === found.value ? found : { ...found, value };
}

async function collect(findings: Findings, context: Context): Promise<Shown> {
  await whenFieldsBegun(context.resources);
  await whenEnded(findings.underWay);
  findings.shown = undefined;
  const { fresh, stale } = findings.lists;
  return bestOf([...fresh], [...stale]);
}

/**
 * Finds the best record of each asset in lists in order of arrival. Lists past their time to live (`stale`) count only
 * for assets and fields that the others lack.
 */
export function bestOf(lists: readonly Assets[], stale: readonly Assets[] = []): Shown {
  if (lists.length + stale.length === 1) return (assets) => assets;
  const best = bestIn(stale);
  for (const [id, asset] of bestIn(lists)) best.set(id, completed(asset, best.get(id)));
  return (assets) => {
    const all = assets.map((asset) => best.get(asset.id) ?? asset);
    // An unchanged list stays the same array: the text of pages is remembered by it (graph/page.ts).
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

/** Completes an asset made from another currency with the fields that only answers in dollars have, even stale ones. */
function completed(asset: CryptoAssetShape, stale: CryptoAssetShape | undefined): CryptoAssetShape {
  if (!stale || !asset.isConverted || stale.isConverted) return asset;
  // A list is stale if any of its assets is, so a record in it may still be the newer one.
  if (updateOf(stale) > updateOf(asset)) return stale;
  const { volume24h, marketCap } = stale;
  return { ...asset, volume24h, marketCap };
}

/** Whether the later record is better: not if it states an earlier update, or lacks fields that the earlier one has. */
function isBetter(later: CryptoAssetShape, earlier: CryptoAssetShape): boolean {
  if (later === earlier) return false;
  if (later.isConverted !== earlier.isConverted) return earlier.isConverted;
  return !(updateOf(later) < updateOf(earlier));
}

const updateOf = ({ updatedAt }: CryptoAssetShape) => Date.parse(updatedAt ?? '');
