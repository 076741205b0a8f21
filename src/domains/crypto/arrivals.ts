import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../../bounded-map.ts';
import type { Context, Gateway } from '../../graph/context.ts';
import { marketKey } from './asset-list.ts';
import type { Market } from './records.ts';

/**
 * Where several answers would do, one is preferred. An operation that was answered out of another one may not be
 * answered the same again once the preferred one may have come.
 */

const MAX_MARKETS = 1000;

/** For each market a check, made when an answer about it came last: whether none has come since. */
const latestOf = createContextCache((_gateway: Gateway) =>
  createBoundedMap<string, () => boolean>(MAX_MARKETS),
);

/** An answer about the market has come. Returns the check whether it is still the last one. */
export function noteArrival(market: Market, gateway: Gateway): () => boolean {
  const latest = latestOf(gateway);
  const key = marketKey(market);
  const isLatest = () => latest.get(key) === isLatest;
  latest.set(key, isLatest);
  return isLatest;
}

/** The operation uses what is only served as long as nothing better comes, and has it by now. */
export function noteSecondChoice<T>(used: T, market: Market, { gateway, operation }: Context): T {
  const isLatest = latestOf(gateway).get(marketKey(market)) ?? noteArrival(market, gateway);
  operation.parts.add(isLatest);
  return used;
}
