import { expect } from 'vitest';
import type { Attack } from './attack.ts';
import { ask } from './connections.ts';

/** Weakness 9: what one client asks for must not spoil what another one gets. */

/** Length of a request target: more than the gateway should send, and less than 268 tickers of 20 characters take. */
const LONG_TARGET = 5000;

export const neighbors: Attack[] = [
  {
    name: '9 268 tickers that nobody has, and long ones',
    upstream: { learnMaxTarget: LONG_TARGET },
    run: async (target) => {
      const unknownTickers = Array.from({ length: 268 }, (_, i) => `Z${i}`.padEnd(20, 'Q'));
      const query = 'query($s: [String!]) { cryptoAssets(filter: { symbols: $s }) { totalCount } }';
      await ask(target, query, { s: unknownTickers });
      for (const symbol of (await target.rareTickers()).slice(0, 3)) {
        const { text } = await ask(target, `{ cryptoAsset(symbol: "${symbol}") { symbol } }`);
        expect(JSON.parse(text)).toMatchObject({ data: { cryptoAsset: { symbol } } });
      }
    },
  },
];
