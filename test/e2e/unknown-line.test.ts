import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';
import { estimateOf, spend } from './estimate.ts';

/** What an operation costs before the speed of the line is known: lists are then shorter than they could be. */

/**
 * The line is assumed to be slow. The clock stands still, so that the first answer makes it count as fast, on any
 * machine.
 */
const line = { env: { UPSTREAM_BYTES_PER_SECOND: '1000000' }, monotonic: () => 0 };
const first = (count: number) => `cryptoAssets(first: ${count}) { nodes { symbol } }`;
const counted = 'cryptoAssets(first: 5) { totalCount }';
const ordered = 'cryptoAssets(first: 5, orderBy: { field: PRICE }) { nodes { symbol } }';

test.each([
  [first(5), first(400)],
  [first(5), counted],
  [first(5), ordered],
])('all fields of one market share the longest list, for one credit: %s %s', async (...fields) => {
  for (const [a, b] of [fields, fields.toReversed()]) {
    const gateway = await open(line);
    const query = `{ a: ${a} b: ${b} }`;
    const { least, most } = await estimateOf(gateway, query);
    expect([least.credits, most.credits]).toEqual([1, 1]);
    expect((await spend(gateway, query)).credits).toBe(1);
  }
});

test('an asset missing from the list of its operation may cost a list and a credit more, as a dry run says', async () => {
  const gateway = await open(line);
  const [low] = assetsBelow500(gateway.sandbox, 1);
  const query = `{ a: ${first(5)} b: cryptoAsset(symbol: "${low}") { price } }`;
  const { least, most } = await estimateOf(gateway, query);
  expect([least.credits, most.credits]).toEqual([1, 3]);
  expect((await spend(gateway, query)).credits).toBe(3);
});

test('an asset that the list of another operation has costs no credit of its own', async () => {
  const { get, sandbox } = await open(line);
  const release = sandbox.fault({ kind: 'hold', path: '/crypto/prices' });
  const list = get(`{ ${first(5)} }`);
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  // The rate shows that the second operation has begun.
  const both = get('{ cryptoAsset(symbol: "BTC") { symbol } fxRate(pair: "USDTRY") { pair } }');
  await expect.poll(() => sandbox.requests().at(-1)?.path).toContain('/fx/rates');
  release();
  await list;
  expect(await both).toMatchObject({ cryptoAsset: { symbol: 'BTC' } });
  const paths = sandbox.requests().map(({ path }) => path);
  expect(paths.filter((path) => path.includes('/crypto/'))).toHaveLength(1);
});

test('an asset that the list of another operation lacks is asked for after it', async () => {
  const { get, sandbox } = await open(line);
  const release = sandbox.fault({ kind: 'hold', path: '/crypto/prices', times: 1 });
  const [low] = assetsBelow500(sandbox, 1);
  const list = get(`{ ${first(5)} }`);
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  const asset = get(`{ cryptoAsset(symbol: "${low}") { symbol } }`);
  release();
  await list;
  expect(await asset).toEqual({ cryptoAsset: { symbol: low } });
});

test('a list is as long as a line that is known by then allows, however short the one before it was', async () => {
  let monotonic = 0;
  const { clock, cost, sandbox } = await open({ ...line, monotonic: () => monotonic });
  const limit = () =>
    sandbox
      .requests()
      .at(-1)
      ?.path.match(/limit=(\d+)/)?.[1];
  expect(await cost(`{ ${first(5)} }`)).toBe(1);
  expect(Number(limit())).toBeLessThan(500);
  clock.advance(61_000);
  monotonic += 61_000;
  expect(await cost(`{ ${first(5)} }`)).toBe(1);
  expect(limit()).toBe('500');
});
