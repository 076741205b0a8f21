import type { Cached, Fetched } from '../../cache/cached.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { defineKeyedSet, defineSnapshot } from '../../graph/dataset.ts';
import { whenAll } from '../../maybe.ts';
import { storedKeyOf } from '../../cache/requests.ts';
import { type Answer, requestPath } from '../../upstream/endpoint.ts';
import { type AssetList, assetListOf, findIn, listedOf, pricesTarget } from './asset-list.ts';
import { noteArrival } from './arrivals.ts';
import { demandOf } from './demand.ts';
import { CURRENCIES } from './in-use.ts';
import { type KnownRecords, withLater } from './later-records.ts';
import { BYTES_PER_ASSET, countsFrom, countsUpTo, grownCount } from './list-lengths.ts';
import { convertCurrency, type Market, marketKey, parseMarketKey } from './market.ts';
import { isNotRetried } from './needed.ts';
import {
  isUnusual,
  listKey,
  type ListQuestion,
  parseListKey,
  sharedPart,
  type TickerQuestion,
  tickersKey,
} from './questions.ts';
import { type CryptoPrice, MAX_ASSETS, pricesEndpoint, tickerOf } from './records.ts';
import { noteSpellings, spelled } from './spellings.ts';

/** The datasets of crypto assets: how their answers are requested, read and kept, and which lists are cached. */

const BY_RANK = { name: 'crypto by rank', keyOf: listKey };

/** The first assets of each market by rank: one credit for each list of up to 500. */
export const firstByRank = defineSnapshot((gateway: Gateway) => ({
  ...BY_RANK,
  ttl: gateway.settings.ttl.crypto,
  endpoint: pricesEndpoint,
  parseKey: parseListKey,
  noRetry: (question) => isNotRetried(gateway, question.noRetry, listKey(question)),
  isEmpty: ({ all }: AssetList) => all.length === 0,
  // Each process judges the line by itself, so that lengths differ.
  instead: ({ market, count, needed }) =>
    (needed === undefined ? [] : countsFrom(needed))
      .filter((other) => other !== count)
      .map((other) => ({ market, count: other })),
  target: ({ market, count }) => pricesTarget(market, count),
  read: (answer, { market, count }) => readList(gateway, answer, { market, count }),
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
  keyOf: ({ market }: TickerQuestion) => marketKey(market),
  parseKey(text): TickerQuestion | undefined {
    const market = parseMarketKey(text);
    return market && { market };
  },
  noRetry: (question) => isNotRetried(gateway, question.noRetry, tickersKey(question.market)),
  emptyBytes: ({ market }) => requestPath(pricesTarget(market, MAX_ASSETS, [])).length,
  // Includes the comma before the ticker, which is encoded, too.
  bytesOf: (symbol) => encodeURIComponent(symbol).length + 3,
  mayShare: (symbol) => !isUnusual(symbol),
  extraNames: () => demandOf(gateway).narrow(),
  likelyNames: ({ market }, operation) =>
    grownCount(gateway, 1) < MAX_ASSETS ? tickersNotListed(market, { gateway, operation }) : [],
  elsewhere: ({ market, maxAwaited = 0 }, operation) =>
    freshCount(market, 0, { gateway, operation }) === undefined
      ? countsUpTo(maxAwaited).map((count) => storedKeyOf(BY_RANK, { market, count }))
      : [],
  fromElsewhere: async ({ market, maxAwaited = 0 }, symbols, operation) => {
    const { catchUp } = firstByRank.cache(gateway);
    await whenAll(countsUpTo(maxAwaited).map((count) => catchUp({ market, count })));
    const list = freshList(market, { gateway, operation });
    return list && listedOf(list, symbols);
  },
  target: ({ market }, symbols) => pricesTarget(market, MAX_ASSETS, spelled(gateway, symbols)),
  read(answer, { market }): Fetched<AssetList['bySymbol']> {
    const { value, ...rest } = readList(gateway, answer, { market, count: MAX_ASSETS });
    return { ...rest, value: value.bySymbol };
  },
  onAnswer({ value }, { market }) {
    noteSpellings(gateway, value);
    noteArrival(market, gateway);
  },
}));

/** Reads an answer; where another one that is cached has an asset in a later state, takes it from there. */
function readList(
  gateway: Gateway,
  answer: Answer<CryptoPrice>,
  { market, count }: ListQuestion,
): Fetched<AssetList> {
  const list = assetListOf(answer, market, count);
  return withLater(list, knownRecords(market, gateway), gateway.settings.upstreamTimeoutMs);
}

/** Returns a function that finds all cached answers about a ticker, however old they are. */
export function knownRecords(market: Market, gateway: Gateway): KnownRecords {
  const lists = knownLists(market, 0, gateway);
  const { lastKnown } = byTicker.cache(gateway);
  return (ticker) => {
    const byItself = lastKnown({ market }, ticker);
    const inLists = lists.flatMap((list) => findIn(list, ticker) ?? []);
    return byItself ? [byItself, ...inLists] : inLists;
  };
}

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
