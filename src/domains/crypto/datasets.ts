import type { Fetched } from '../../cache/cached.ts';
import type { Gateway } from '../../graph/context.ts';
import { defineKeyedSet, defineSnapshot } from '../../graph/dataset.ts';
import { requestPath } from '../../upstream/endpoint.ts';
import { type AssetList, assetListOf, marketIn, marketKey, pricesTarget } from './asset-list.ts';
import { demandOf } from './demand.ts';
import { type Market, MAX_ASSETS, pricesEndpoint } from './records.ts';

/** What is asked of the upstream about crypto assets. */

/** The first 500 assets of each market by rank: one credit at most for each market. */
export const firstByRank = defineSnapshot(({ settings }: Gateway) => ({
  name: 'crypto by rank',
  ttl: settings.ttl.crypto,
  endpoint: pricesEndpoint,
  keyOf: marketKey,
  keyIn: marketIn,
  target: (market) => pricesTarget(market),
  read: assetListOf,
}));

/** Assets asked for by their tickers; each market has prices of its own. */
export const byTicker = defineKeyedSet((gateway: Gateway) => ({
  name: 'crypto by ticker',
  ttl: gateway.settings.ttl.crypto,
  endpoint: pricesEndpoint,
  maxNames: MAX_ASSETS,
  keyOf: marketKey,
  keyIn: marketIn,
  emptyBytes: (market) => requestPath(pricesTarget(market, [])).length,
  // With the comma before it, which is encoded, too.
  bytesOf: (symbol) => encodeURIComponent(symbol).length + 3,
  // An odd ticker may be refused, and with it all others of its request.
  mayShare: (symbol) => /^[A-Z0-9.$_-]{1,20}$/.test(symbol),
  along: () => demandOf(gateway).narrow(),
  target: pricesTarget,
  read(answer, market: Market): Fetched<AssetList['bySymbol']> {
    const { value, ...rest } = assetListOf(answer, market);
    return { ...rest, value: value.bySymbol };
  },
}));
