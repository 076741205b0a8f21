import { createContextCache } from '@pothos/core';
import type { Fetched } from '../../cache/cached.ts';
import { maxRecords } from '../../cache/growth.ts';
import type { Gateway } from '../../graph/context.ts';
import { defineKeyedSet, defineSnapshot } from '../../graph/dataset.ts';
import type { Maybe } from '../../maybe.ts';
import { createOpenCounts } from '../../open-counts.ts';
import { storedKeyOf } from '../../cache/requests.ts';
import { requestPath } from '../../upstream/endpoint.ts';
import {
  type AssetList,
  assetListOf,
  parseMarketKey,
  marketKey,
  pricesTarget,
} from './asset-list.ts';
import { noteArrival } from './arrivals.ts';
import { demandOf } from './demand.ts';
import { type Market, MAX_ASSETS, pricesEndpoint } from './records.ts';
import { noteSpellings, spelled } from './spellings.ts';

/** What is requested of the upstream about crypto assets, and how many of them at once. */

interface MarketQuestion {
  market: Market;
  /** Whether not to retry after a timeout, since the caller has a fallback; ignored if others need it (noteNeeded). */
  noRetry?: boolean;
}

/** How many callers without a fallback wait for what is in flight, by key. */
const callersWithoutFallback = createContextCache((_gateway: Gateway) => createOpenCounts());

const isNotRetried = (gateway: Gateway, question: MarketQuestion, key: string) =>
  question.noRetry === true && callersWithoutFallback(gateway).of(key) === 0;

/** Notes that a caller without a fallback waits for what is being loaded under a key (`listKey`, `tickersKey`). */
export function noteNeeded(gateway: Gateway, key: string, loading: Maybe<unknown>): void {
  if (!(loading instanceof Promise)) return;
  const end = callersWithoutFallback(gateway).begin(key);
  loading.then(end, end);
}

export const tickersKey = (market: Market) => `by ticker ${marketKey(market)}`;

interface ListQuestion extends MarketQuestion {
  /** How many assets: one of COUNTS, or exactly as many as are wanted. */
  count: number;
}

/** Lengths to which lists are extended if that takes hardly longer: only a few, so that questions share lists. */
const COUNTS = [
  3,
  5,
  7,
  10,
  15,
  20,
  25,
  30,
  40,
  50,
  65,
  80,
  100,
  125,
  160,
  200,
  250,
  320,
  400,
  MAX_ASSETS,
];

/** Whether a ticker is so unusual that the upstream may refuse it, and with it all others of its request. */
export const isUnusual = (symbol: string) => !/^[A-Z0-9.$_-]{1,20}$/.test(symbol);

/** Expected size of an asset before the first answer, in bytes of JSON. */
const BYTES_PER_ASSET = 280;

export function listKey({ market, count }: ListQuestion): string {
  return count === MAX_ASSETS ? marketKey(market) : `first ${count} ${marketKey(market)}`;
}

function parseListKey(text: string): ListQuestion | undefined {
  const [, count, rest] = /^(?:first (\d+) )?(.*)$/s.exec(text) ?? [];
  const market = parseMarketKey(rest ?? '');
  return market && { market, count: count ? Number(count) : MAX_ASSETS };
}

/**
 * Returns the longest part of a list whose length is one of COUNTS, which other questions look for; undefined if the
 * list itself has such a length, or is shorter than all of them.
 */
function sharedPart({ market, count }: ListQuestion): ListQuestion | undefined {
  const shorter = COUNTS.findLast((one) => one <= count);
  return shorter === undefined || shorter === count ? undefined : { market, count: shorter };
}

const BY_RANK = { name: 'crypto by rank', keyOf: listKey };

/** The first assets of each market by rank: one credit for each list of up to 500. */
export const firstByRank = defineSnapshot((gateway: Gateway) => ({
  ...BY_RANK,
  ttl: gateway.settings.ttl.crypto,
  endpoint: pricesEndpoint,
  parseKey: parseListKey,
  noRetry: (question) => isNotRetried(gateway, question, listKey(question)),
  target: ({ market, count }) => pricesTarget(market, count),
  read: (answer, { market }) => assetListOf(answer, market),
  onAnswer(answer, question, _asked, at) {
    noteSpellings(gateway, answer.value.bySymbol);
    noteArrival(question.market, gateway);
    const part = sharedPart(question);
    if (part) firstByRank.cache(gateway).file(part, answer, at);
  },
  alsoAnswers(_answer, question) {
    const part = sharedPart(question);
    return part && { key: storedKeyOf(BY_RANK, part), asked: null };
  },
}));

/** Assets asked for by their tickers; each market has prices of its own. */
export const byTicker = defineKeyedSet((gateway: Gateway) => ({
  name: 'crypto by ticker',
  ttl: gateway.settings.ttl.crypto,
  endpoint: pricesEndpoint,
  maxNames: MAX_ASSETS,
  bytesPerRecord: BYTES_PER_ASSET,
  keyOf: ({ market }: MarketQuestion) => marketKey(market),
  parseKey(text): MarketQuestion | undefined {
    const market = parseMarketKey(text);
    return market && { market };
  },
  noRetry: (question) => isNotRetried(gateway, question, tickersKey(question.market)),
  emptyBytes: ({ market }) => requestPath(pricesTarget(market, MAX_ASSETS, [])).length,
  // Includes the comma before the ticker, which is encoded, too.
  bytesOf: (symbol) => encodeURIComponent(symbol).length + 3,
  mayShare: (symbol) => !isUnusual(symbol),
  extraNames: () => demandOf(gateway).narrow(),
  target: ({ market }, symbols) => pricesTarget(market, MAX_ASSETS, spelled(gateway, symbols)),
  read(answer, { market }): Fetched<AssetList['bySymbol']> {
    const { value, ...rest } = assetListOf(answer, market);
    return { ...rest, value: value.bySymbol };
  },
  onAnswer({ value }, { market }) {
    noteSpellings(gateway, value);
    noteArrival(market, gateway);
  },
}));

/** Returns the length of the shortest list with `needed` assets: MAX_ASSETS at most. */
export const minCount = (needed: number): number => Math.min(needed, MAX_ASSETS);

/** Returns the lengths of all lists with at least `needed` assets, the shortest first. */
export function countsFrom(needed: number): number[] {
  const min = minCount(needed);
  return [...(min > 0 ? [min] : []), ...COUNTS.filter((count) => count > min)];
}

/** Returns the length of the longest list that is expected to arrive hardly later than `needed` assets would. */
export function grownCount({ client }: Gateway, needed: number): number {
  const min = minCount(needed);
  const max = maxRecords(client.line(pricesEndpoint), min, BYTES_PER_ASSET);
  return COUNTS.findLast((count) => count > min && count <= max) ?? min;
}
