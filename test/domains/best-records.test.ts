import { expect, test } from 'vitest';
import { bestOf } from '../../src/domains/crypto/consistent.ts';
import { assetOf } from '../../src/domains/crypto/records.ts';

/** Which record of an asset an operation shows if it has found several. */

const MARKET = { convert: 'USD', exchange: null, interval: null } as const;
const OLD = '2026-11-24T09:00:00Z';
const NEW = '2026-11-24T09:01:00Z';

type Asset = ReturnType<typeof assetOf>;

function asset(price: number, { symbol = 'BTC', ...more }: Partial<Asset> = {}): Asset {
  return { ...assetOf({ symbol, name: symbol, price }, MARKET, ''), ...more };
}

/** Returns the price that is shown of the first asset in each list. */
function shown(lists: readonly (readonly Asset[])[], stale: readonly (readonly Asset[])[] = []) {
  const show = bestOf(lists, stale);
  return [...lists, ...stale].map((list) => show(list)[0]?.price);
}

test.each([
  ['the later update', asset(1, { updatedAt: NEW }), asset(2, { updatedAt: OLD }), 1],
  ['the later update, come last', asset(1, { updatedAt: OLD }), asset(2, { updatedAt: NEW }), 2],
  [
    'the last to come, of the same update',
    asset(1, { updatedAt: NEW }),
    asset(2, { updatedAt: NEW }),
    2,
  ],
  ['the last to come, if no update is stated', asset(1), asset(2), 2],
  [
    'the last to come, if only the other states its update',
    asset(1, { updatedAt: NEW }),
    asset(2),
    2,
  ],
  ['the last to come, if only it states its update', asset(1), asset(2, { updatedAt: OLD }), 2],
  [
    'its own record, not one from another currency, come last',
    asset(1, { updatedAt: OLD }),
    asset(2, { updatedAt: NEW, isConverted: true }),
    1,
  ],
  [
    'its own record, not one from another currency, come first',
    asset(1, { updatedAt: NEW, isConverted: true }),
    asset(2, { updatedAt: OLD }),
    2,
  ],
])('all fields show %s', (_what, first, last, price) => {
  expect(shown([[first], [last]])).toEqual([price, price]);
});

test('a stale record counts only for an asset that no other list has', () => {
  const stale = [asset(1, { updatedAt: NEW }), asset(3, { symbol: 'ETH' })];
  const show = bestOf([[asset(2, { updatedAt: OLD })]], [stale]);
  expect(show(stale).map(({ price }) => price)).toEqual([2, 3]);
});

test('fields that only answers in dollars have are completed from a stale one, unless that is newer altogether', () => {
  const converted = asset(2, { isConverted: true, updatedAt: NEW });
  const own = (updatedAt: string) => asset(1, { updatedAt, volume24h: 5, marketCap: 6 });
  const [older] = bestOf([[converted]], [[own(OLD)]])([converted]);
  expect(older).toEqual({ ...converted, volume24h: 5, marketCap: 6 });
  const newer = own('2026-11-24T09:02:00Z');
  expect(bestOf([[converted]], [[newer]])([converted])).toEqual([newer]);
});

test('a list is in the order of the ranks that are shown, and stays the same array if nothing changes', () => {
  const list = [asset(1, { rank: 1 }), asset(2, { symbol: 'ETH', rank: 2 })];
  const other = [asset(3, { rank: 3 })];
  expect(bestOf([list, other])(list).map(({ price }) => price)).toEqual([2, 3]);
  expect(bestOf([list, list])(list)).toBe(list);
  expect(bestOf([list])(list)).toBe(list);
});
