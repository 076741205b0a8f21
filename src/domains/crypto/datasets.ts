import { createContextCache } from '@pothos/core';
import type { Cached, Fetched } from '../../cache/cached.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { defineKeyedSet, defineSnapshot } from '../../graph/dataset.ts';
import type { Maybe } from '../../maybe.ts';
import { createOpenCounts } from '../../open-counts.ts';
import { storedKeyOf } from '../../cache/requests.ts';
import { requestPath } from '../../upstream/endpoint.ts';
import { type AssetList, assetListOf, pricesTarget } from './asset-list.ts';
import { noteArrival } from './arrivals.ts';
import { demandOf } from './demand.ts';
import { CURRENCIES } from './in-use.ts';
import { BYTES_PER_ASSET, countsFrom, grownCount, sharedCount } from './list-lengths.ts';
import { convertCurrency, type Market, marketKey, parseMarketKey } from './market.ts';
import { MAX_ASSETS, pricesEndpoint, tickerOf } from './records.ts';
import { noteSpellings, spelled } from './spellings.ts';

/** What is requested of the upstream about crypto assets, how many of them at once, and which lists are cached. */

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

export interface ListQuestion extends MarketQuestion {
  /** How many assets: one of COUNTS, or exactly as many as are wanted. */
  count: number;
  /**
   * How many of them suffice while another process is asking for another list: any of that length or more then does as
   * well. By default, none does.
   */
  needed?: number;
}

/** Whether a ticker is so unusual that the upstream may refuse it, and with it all others of its request. */
export const isUnusual = (symbol: string) => !/^[A-Z0-9.$_-]{1,20}$/.test(symbol);

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
  const shorter = sharedCount(count);
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
  isEmpty: ({ all }: AssetList) => all.length === 0,
  // Each process judges the line by itself, so that lengths differ.
  instead: ({ market, count, needed }) =>
    (needed === undefined ? [] : countsFrom(needed))
      .filter((other) => other !== count)
      .map((other) => ({ market, count: other })),
  target: ({ market, count }) => pricesTarget(market, count),
  read: (answer, { market, count }) => assetListOf(answer, market, count),
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
  likelyNames: ({ market }, operation) =>
    grownCount(gateway, 1) < MAX_ASSETS ? tickersNotListed(market, { gateway, operation }) : [],
  target: ({ market }, symbols) => pricesTarget(market, MAX_ASSETS, spelled(gateway, symbols)),
  read(answer, { market }): Fetched<AssetList['bySymbol']> {
    const { value, ...rest } = assetListOf(answer, market, MAX_ASSETS);
    return { ...rest, value: value.bySymbol };
  },
  onAnswer({ value }, { market }) {
    noteSpellings(gateway, value);
    noteArrival(market, gateway);
  },
}));

type Asker = Pick<Context, 'gateway' | 'operation'>;

/** Returns the length of the longest fresh list with at least `needed` assets; undefined if there is none. */
export function freshCount(
  market: Market,
  needed: number,
  { gateway, operation }: Asker,
): number | undefined {
  const { isFresh } = firstByRank.cache(gateway);
  return countsFrom(needed).findLast((count) => isFresh({ market, count }, operation));
}

/** Returns the longest fresh list, to look into it without serving it: counts no cache hit. */
export function freshList(market: Market, asker: Asker): Cached<AssetList> | undefined {
  const count = freshCount(market, 0, asker);
  if (count === undefined) return undefined;
  return firstByRank.cache(asker.gateway).lastKnown({ market, count });
}

/** Returns the cached lists of a market with at least `needed` assets, however old they are, the longest first. */
export function knownLists(market: Market, needed: number, gateway: Gateway): Cached<AssetList>[] {
  const { lastKnown } = firstByRank.cache(gateway);
  return countsFrom(needed)
    .toReversed()
    .flatMap((count) => lastKnown({ market, count }) ?? []);
}

/**
 * Returns the longest known list with at least `needed` assets, however old: the market's own, else that of another
 * currency, in which ranks are the same.
 */
export function longestList(
  market: Market,
  needed: number,
  gateway: Gateway,
): Cached<AssetList> | undefined {
  const { lastKnown } = firstByRank.cache(gateway);
  const currencies = [market.convert, ...convertCurrency.options];
  for (const count of countsFrom(needed).toReversed()) {
    for (const convert of currencies) {
      const list = lastKnown({ market: { ...market, convert }, count });
      if (list) return list;
    }
  }
  return undefined;
}

/** Whether the last list in another currency has an asset, so that its ticker need not be sent: ranks are the same. */
export const wasListed = (market: Market, symbol: string, { gateway }: Context): boolean =>
  CURRENCIES.some((convert) =>
    knownLists({ ...market, convert }, 0, gateway)[0]?.value.bySymbol.has(symbol),
  );

/** Returns the tickers of the longest known list, the best ranks last, without those that a fresh list has. */
function tickersNotListed(market: Market, asker: Asker): string[] {
  const listed = freshList(market, asker)?.value.bySymbol;
  const tickers = longestList(market, 0, asker.gateway)?.value.all.map(tickerOf) ?? [];
  return tickers.filter((ticker) => !listed?.has(ticker)).toReversed();
}
