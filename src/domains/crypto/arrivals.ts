import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../../bounded-map.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { createWatch } from '../../graph/watch.ts';
import { type Market, marketKey } from './market.ts';

/**
 * A question about a market may be answered from a fallback, such as a shorter list, or a list in another currency,
 * while a better answer is missing. The response is then marked: it must not be reused once a newer answer about the
 * market has arrived.
 */

const MAX_MARKETS = 1000;

/** For each market, a check made when the last answer about it came: whether none has come since. */
const latestOf = createContextCache((_gateway: Gateway) =>
  createBoundedMap<string, () => boolean>(MAX_MARKETS),
);

/** Notifies watchers of answers, and of the market that each is about. */
export const answers = createWatch<Market>();

/** Notes that an answer about the market has come. */
export function noteArrival(market: Market, gateway: Gateway): void {
  answers.notify(gateway, market);
  beginLatest(market, gateway);
}

/** Registers and returns a new check: whether no answer about the market has come since. */
function beginLatest(market: Market, gateway: Gateway): () => boolean {
  const latest = latestOf(gateway);
  const key = marketKey(market);
  const isLatest = () => latest.get(key) === isLatest;
  latest.set(key, isLatest);
  return isLatest;
}

/** Marks the operation's response as made from a fallback. Returns that fallback, `used`. */
export function noteFallback<T>(used: T, market: Market, { gateway, operation }: Context): T {
  const isLatest = latestOf(gateway).get(marketKey(market)) ?? beginLatest(market, gateway);
  operation.parts.add(isLatest);
  return used;
}
