import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { assetsBelow500, firstAssets } from '../upstream.ts';
import { change } from './change.ts';
import { estimateOf, spend } from './estimate.ts';

/** What the first assets by rank cost if a single list by ticker may be requested in place of all 500. */

const TTL_MS = 30_000;
const TOP_10 = '{ cryptoAssets(first: 10) { nodes { symbol name rank } } }';

/** A query for an asset that is in no list by rank. */
const low = ({ sandbox }: Bench) =>
  `{ cryptoAsset(symbol: "${assetsBelow500(sandbox, 1)[0]}") { price } }`;

/** Asks for the same few assets until one list by ticker would hold them all. */
async function settle({ ask, clock }: Bench, queries: readonly string[]): Promise<void> {
  for (let i = 0; i < 12; i += 1) {
    for (const query of queries) await ask(query);
    clock.advance(TTL_MS);
  }
}

/** Swaps the ranks of the fifth asset and of the one at rank `count`. */
function swapRanks(bench: Bench, count: number): void {
  const all = firstAssets(bench.sandbox, count);
  const [fifth, last] = [all[4], all.at(-1)];
  const rankOf = new Map<unknown, number>([
    [fifth, count],
    [last, 5],
  ]);
  bench.sandbox.clearFaults();
  change(bench, '/crypto/prices', (records) =>
    records.map((one) => ({ ...one, rank: rankOf.get(one['symbol']) ?? one['rank'] })),
  );
}

test('if two of the first assets share a ticker, all are requested in one list', async () => {
  const bench = await open();
  const [, second = '', , , fifth] = firstAssets(bench.sandbox, 5);
  change(bench, '/crypto/prices', (records) =>
    records.map((one) => (one['symbol'] === fifth ? { ...one, symbol: second } : one)),
  );
  await settle(bench, [TOP_10, low(bench)]);
  for (let i = 0; i < 10; i += 1) {
    expect(await bench.cost(TOP_10)).toBe(1);
    bench.clock.advance(TTL_MS);
  }
  const { cryptoAssets } = await bench.get<{ cryptoAssets: { nodes: unknown[] } }>(TOP_10);
  expect(cryptoAssets.nodes[4]).toMatchObject({ symbol: second, rank: 5 });
});

test('if nothing else is asked for, changed ranks cost occasional queries nothing extra', async () => {
  const bench = await open();
  await settle(bench, [TOP_10]);
  bench.clock.advance(61 * TTL_MS);
  for (let i = 0; i < 10; i += 1) {
    swapRanks(bench, 40 + i);
    expect(await bench.cost(TOP_10)).toBe(1);
    bench.clock.advance(61 * TTL_MS);
  }
});

test('an answer by ticker is used for as long as it is fresh, however old the ranks are', async () => {
  const bench = await open();
  const paidAt: number[] = [];
  for (let i = 0; i < 600; i += 1) {
    // A different query each time, so that no cached whole answer is served.
    const units = await bench.cost(TOP_10.replace('crypto', `n${i}: crypto`));
    paidAt.push(...Array<number>(units).fill(bench.clock.now()));
    bench.clock.advance(TTL_MS / 6);
  }
  const pauses = paidAt.slice(1).map((at, i) => at - paidAt[i]!);
  expect(Math.min(...pauses)).toBe(TTL_MS);
});

test('a dry run allows for ranks that may have changed', async () => {
  const bench = await open();
  await settle(bench, [TOP_10, low(bench)]);
  swapRanks(bench, 40);
  const { least, most } = await estimateOf(bench, TOP_10);
  expect([least.credits, most.credits]).toEqual([1, 2]);
  expect((await spend(bench, TOP_10)).credits).toBe(2);
  expect((await spend(bench, low(bench))).credits).toBe(0);
});

test.for(['TRY', 'EUR'])(
  'an asset that is not in the list in dollars is not looked for in the list in %s',
  async (currency) => {
    const bench = await open();
    const [symbol] = assetsBelow500(bench.sandbox, 1);
    const asset = (convert: string) =>
      `{ cryptoAsset(symbol: "${symbol}", convert: ${convert}) { price rank } }`;
    const one = { fx: 0, macro: 0, credits: 1 };
    expect(await spend(bench, '{ cryptoAssets(first: 500) { totalCount } }')).toEqual(one);
    for (const convert of ['USD', currency]) {
      const { least, most } = await estimateOf(bench, asset(convert));
      expect([least, most, await spend(bench, asset(convert))]).toEqual([one, one, one]);
    }
  },
);

test('a page reaches as far as ever although the asset before it has fallen', async () => {
  const bench = await open();
  interface Page {
    cryptoAssets: {
      nodes: { symbol: string }[];
      pageInfo: { hasNextPage: boolean; endCursor: string };
    };
  }
  const page = (after = '') =>
    `{ cryptoAssets(first: 100${after}) { nodes { symbol } pageInfo { hasNextPage endCursor } } }`;
  const { endCursor } = (await bench.get<Page>(page())).cryptoAssets.pageInfo;
  const all = firstAssets(bench.sandbox, 500);
  const [fallen] = all.splice(99, 1);
  all.splice(102, 0, fallen!);
  const rankOf = new Map<unknown, number>(all.map((symbol, i) => [symbol, i + 1]));
  change(bench, '/crypto/prices', (records, asked) => {
    const limit = Number(new URL(asked, 'http://upstream').searchParams.get('limit'));
    const ranked = records.map((one) => ({ ...one, rank: rankOf.get(one['symbol'])! }));
    return ranked.toSorted((a, b) => a.rank - b.rank).slice(0, limit);
  });
  // It knows neither the line nor a list.
  const { get } = await bench.another({ UPSTREAM_BYTES_PER_SECOND: '1000000' });
  const { nodes, pageInfo } = (await get<Page>(page(`, after: "${endCursor}"`))).cryptoAssets;
  expect(nodes.map(({ symbol }) => symbol)).toEqual(all.slice(103, 203));
  expect(pageInfo.hasNextPage).toBe(true);
});

test('an asset that no list has brings the others of its operation along', async () => {
  const bench = await open();
  const { get, sandbox, clock, cost } = bench;
  const [below = ''] = assetsBelow500(sandbox, 1);
  // Somebody asks for all once, so that lists of all are requested from now on.
  await get('{ cryptoAssets(first: 500) { nodes { symbol } } }');
  const watchlist = `{ cryptoAssets(filter: { symbols: ["BTC", "ETH", "${below}"] }) { nodes { price } } }`;
  const page = `{ low: cryptoAsset(symbol: "${below}") { price } cryptoAssets(first: 20) { nodes { price } } }`;
  for (const query of [watchlist, watchlist, page, page]) {
    clock.advance(30_000);
    expect(await cost(query)).toBe(1);
  }
});

test('an asset whose request fails does not keep the others of its operation from the list again', async () => {
  const { ask, get, sandbox, clock } = await open();
  const [below = ''] = assetsBelow500(sandbox, 1);
  await get('{ cryptoAssets(first: 500) { nodes { symbol } } }');
  const query = `{
    btc: cryptoAssets(filter: { symbols: ["BTC"] }) { provenance { stale } }
    below: cryptoAsset(symbol: "${below}") { price }
  }`;
  await get(query);
  // The upstream does not know the ticker any more, and refuses whatever is asked for along with it.
  sandbox.fault({ kind: 'status', status: 422, path: (path) => path.includes(below) });
  const isStale: boolean[] = [];
  for (let round = 0; round < 3; round += 1) {
    clock.advance(30_000);
    const { data } = await ask<{ btc: { provenance: { stale: boolean } } }>(query);
    isStale.push(data.btc.provenance.stale);
  }
  expect(isStale).toEqual([true, false, false]);
});
