import { createContextCache } from '@pothos/core';
import { LRUCache } from 'lru-cache';
import { type Context, type Gateway, perOperation } from '../../graph/context.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import type { Clock } from '../../time.ts';
import type { Assets } from './asset-list.ts';
import { createOthersDemand, type NewCount, type OthersDemand } from './others-demand.ts';
import { MAX_ASSETS, tickerOf } from './records.ts';

/**
 * Tracks which assets clients ask for, in this process and in those that share with it. As long as these are few and
 * hardly any are new, one list of them by ticker is requested instead of the first 500: it also has those of lower
 * ranks, and little that nobody wants.
 */

interface Demand {
  /** Reads the demand of other processes. */
  refresh(): Maybe<void>;
  /** Notes that assets are asked for. */
  noteNames(symbols: readonly string[]): void;
  /** Notes that the first `count` assets by rank are asked for. */
  noteFirst(count: number): void;
  /** Notes the first assets by rank, in order. */
  noteRanking(assets: Assets): void;
  /** Whether any ranking is known. */
  isRanked(): boolean;
  /** Whether so many assets are wanted that it saves units to know the tickers of all. */
  isWide(): boolean;
  /** Notes that a list by ticker did not have what was wanted. */
  noteMiss(): void;
  /** Returns the tickers of the one list to request, the most wanted last; undefined to request the first 500. */
  narrow(): readonly string[] | undefined;
  /** Returns a copy that knows the same and learns independently. */
  copy(): Demand;
}

/** Maximum length of a list by ticker, those of the best ranks included. If more are wanted, none is requested. */
export const MAX_NAMES = 250;
/** Minimum number of wanted assets for `isWide`: answers with fewer are too short to measure the line's speed. */
const MIN_WIDE = 16;
/** How long an asset counts as wanted after it was last asked for, in times to live. */
const WANTED_TTLS = 2880;
/** How long after the first question too little is known of the demand to use a list by ticker, in times to live. */
const LEARNING_TTLS = 2;
/** Half-life of the count of new assets (`newness`), in times to live. */
const HALF_LIFE_TTLS = 7;
/**
 * Maximum `newness` at which one list by ticker is requested. It is higher if that list saves a separate request for
 * assets of lower ranks (`saving`).
 */
const MAX_NEWNESS = { saving: 4, otherwise: 2 };
/** How old a ranking may get, in times to live, before it is requested again, unless that costs a further request. */
const MAX_RANKING_AGE_TTLS = 60;
/** How many more assets are requested than are wanted: `min`, and a `share` of those that are wanted. */
const MARGIN = { min: 4, share: 0.1 };

/** How long a result of `narrow` is reused, in milliseconds, since it is called for each asset of a question. */
const MEMO_MS = 20;

/** Returns how many assets to request, so that the first `count` are among them even if ranks have changed a little. */
export const withMargin = (count: number): number =>
  count + MARGIN.min + Math.ceil(count * MARGIN.share);

export const demandOf = createContextCache((gateway: Gateway): Demand => {
  const { monotonic, settings } = gateway;
  return createDemand({
    now: monotonic,
    ttl: settings.ttl.crypto,
    others: createOthersDemand(gateway),
  });
});

/** A dry run learns from its own questions in a copy, and changes nothing for others. */
const demandOfDryRun = perOperation(({ gateway }: Context) => demandOf(gateway).copy());

export const demandFor = (context: Context): Demand =>
  context.operation.estimate ? demandOfDryRun(context) : demandOf(context.gateway);

interface DemandOptions {
  now: Clock;
  ttl: number;
  others: OthersDemand;
}

interface LearnedDemand {
  names: ReturnType<LRUCache<string, true>['dump']>;
  first: { count: number; until: number };
  ranking?: Ranking | undefined;
  began?: number | undefined;
  newCount: NewCount;
}

interface Ranking {
  assets: Assets;
  tickers: readonly string[];
  /** When it was noted. */
  at: number;
}

const NOTHING_LEARNED: LearnedDemand = {
  names: [],
  first: { count: 0, until: -Infinity },
  newCount: { count: 0, at: -Infinity },
};

function createDemand(options: DemandOptions, learned: LearnedDemand = NOTHING_LEARNED): Demand {
  const { now, ttl, others } = options;
  const names = new LRUCache<string, true>({
    max: MAX_NAMES,
    ttl: WANTED_TTLS * ttl,
    perf: { now },
    updateAgeOnGet: true,
  });
  names.load(learned.names);
  let { first, ranking, began, newCount } = learned;
  let memo: { at: number; narrow: readonly string[] | undefined } | undefined;

  /** Returns what is left of a count, halved every HALF_LIFE_TTLS times to live. `at` may be ahead of this clock. */
  const newnessOf = ({ count, at }: NewCount) =>
    count * 0.5 ** (Math.max(0, now() - at) / (HALF_LIFE_TTLS * ttl));
  /** The highest count of any process, not the sum: assets new to one are mostly new to all at the same time. */
  const newness = () => Math.max(...[newCount, ...others.newCounts()].map(newnessOf));
  const beganAt = () => Math.min(began ?? Infinity, others.began());

  function noteNew(count: number): void {
    began ??= now();
    const isLearning = now() - beganAt() < ttl;
    if (count > 0 && !isLearning) newCount = { count: newnessOf(newCount) + count, at: now() };
  }

  function publish(isNews: boolean): void {
    const own = () => ({ names: [...names.keys()], first, began: began ?? now(), newCount });
    others.publish(own, isNews);
  }

  const firstWanted = () => Math.max(now() < first.until ? first.count : 0, others.first());
  /** The first assets by rank that are wanted, with a margin, the best rank last. */
  const best = () => {
    const count = firstWanted();
    return count === 0 || !ranking ? [] : ranking.tickers.slice(0, withMargin(count)).toReversed();
  };

  function findNarrow(): readonly string[] | undefined {
    const isLearning = now() - beganAt() < LEARNING_TTLS * ttl;
    if (isLearning || !ranking || firstWanted() >= MAX_ASSETS) return undefined;
    const all = new Set([...others.names(), ...[...names.keys()].toReversed(), ...best()]);
    if (all.size > MAX_NAMES) return undefined;
    const isSaving = all.difference(new Set(ranking.tickers)).size > 0;
    const isOld = now() - ranking.at > MAX_RANKING_AGE_TTLS * ttl;
    if (isOld && firstWanted() > 0 && !isSaving) return undefined;
    return newness() <= (isSaving ? MAX_NEWNESS.saving : MAX_NEWNESS.otherwise)
      ? [...all]
      : undefined;
  }

  return {
    noteNames(symbols) {
      const unknown = symbols.filter((symbol) => !names.get(symbol));
      // The hot path: nearly always all are known and nothing changes, and an operation may ask thousands of times.
      if (unknown.length === 0) return publish(false);
      memo = undefined;
      for (const symbol of symbols) names.set(symbol, true);
      const elsewhere = others.names();
      const ranked = new Set(best());
      noteNew(new Set(unknown.filter((one) => !elsewhere.has(one) && !ranked.has(one))).size);
      publish(true);
    },
    noteFirst(count) {
      memo = undefined;
      const isNew = count > firstWanted();
      first = { count: Math.max(count, firstWanted()), until: now() + WANTED_TTLS * ttl };
      noteNew(Number(isNew));
      publish(isNew);
    },
    noteRanking(assets) {
      if (ranking?.assets === assets) return;
      memo = undefined;
      ranking = { assets, tickers: assets.map(tickerOf), at: now() };
    },
    isRanked: () => ranking !== undefined,
    isWide: () => names.size + others.names().size >= MIN_WIDE,
    noteMiss() {
      memo = undefined;
      noteNew(MAX_NEWNESS.saving);
      publish(true);
    },
    narrow() {
      if (!memo || now() - memo.at >= MEMO_MS) memo = { at: now(), narrow: findNarrow() };
      return memo.narrow;
    },
    refresh: () => whenReady(others.refresh(), () => void (memo = undefined)),
    copy() {
      const silent = { ...options, others: { ...others, publish: () => undefined } };
      return createDemand(silent, { names: names.dump(), first, ranking, began, newCount });
    },
  };
}
