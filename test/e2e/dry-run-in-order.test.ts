import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { estimateOf, spend } from './estimate.ts';
import { assetsBelow500, firstAssets } from '../upstream.ts';
import { addTwin, change } from './change.ts';

/** Dry runs of operations in which one field changes what another one costs. */

test.each([
  '{ a: cryptoAssets(convert: TRY) { totalCount } b: cryptoAssets { nodes { price } } }',
  '{ b: cryptoAssets { nodes { price } } a: cryptoAssets(convert: TRY) { totalCount } }',
])(
  'dollar prices that come with another currency of the same operation cost nothing: %s',
  async (query) => {
    const gateway = await open();
    const { least, most } = await estimateOf(gateway, query);
    expect([least.credits, most.credits]).toEqual([1, 1]);
    // The dry run does not change what other operations cost.
    expect(
      (await estimateOf(gateway, '{ cryptoAssets(first: 1) { nodes { marketCap } } }')).least,
    ).toEqual({ fx: 0, macro: 0, credits: 1 });
    expect((await spend(gateway, query)).credits).toBe(1);
  },
);

test('an operation for many new assets costs one request, even if no list has some of them', async () => {
  const gateway = await open();
  const all = [...firstAssets(gateway.sandbox, 20), ...assetsBelow500(gateway.sandbox, 8)];
  // A few assets are asked for repeatedly, so that the next request is a list by ticker.
  for (let i = 0; i < 12; i += 1) {
    await spend(gateway, '{ cryptoAssets(filter: { symbols: ["BTC", "ETH"] }) { totalCount } }');
    gateway.clock.advance(31_000);
  }
  const query = `{ cryptoAssets(filter: { symbols: ${JSON.stringify(all)} }) { totalCount } }`;
  const { least, most } = await estimateOf(gateway, query);
  expect([least.credits, most.credits]).toEqual([1, 1]);
  expect((await spend(gateway, query)).credits).toBe(1);
});

test('an asset may be missing from a list that the same operation requests', async () => {
  const gateway = await open();
  const [low] = assetsBelow500(gateway.sandbox, 1);
  const query = `{ cryptoAssets { totalCount } cryptoAsset(symbol: "${low}") { price } }`;
  const { least, most } = await estimateOf(gateway, query);
  expect([least.credits, most.credits]).toEqual([1, 2]);
  expect((await spend(gateway, query)).credits).toBe(2);
});

test('events that are not cached may have any currency, even if all rates are cached', async () => {
  const gateway = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '6' } });
  await spend(gateway, '{ fxRates { totalCount } }');
  const query = '{ calendarEvents { nodes { fxRates { history { change } } } } }';
  const { least, most } = await estimateOf(gateway, query);
  expect([least.fx, most.fx]).toEqual([0, 5]);
  expect((await spend(gateway, query)).fx).toBe(5);
});

test('an asset at the end of the last list may be missing from the next one', async () => {
  const gateway = await open();
  const last = firstAssets(gateway.sandbox, 500).at(-1);
  const query = `{ cryptoAsset(symbol: "${last}") { price } }`;
  await spend(gateway, query);
  change(gateway, '/crypto/prices?convert', (records) =>
    records.filter(({ symbol }) => symbol !== last),
  );
  gateway.clock.advance(30_000);
  const { least, most } = await estimateOf(gateway, query);
  expect([least.credits, most.credits]).toEqual([1, 2]);
  expect((await spend(gateway, query)).credits).toBe(2);
});

test('prices in other currencies of an asset that shares its ticker count as possible', async () => {
  const gateway = await open();
  addTwin(gateway, 'Twin');
  const query = `{ node(id: "CryptoAsset:BTC:USD:::Twin") {
    ... on CryptoAsset { priceIn(convert: EUR) inLira: priceIn(convert: TRY) } } }`;
  const { least, most } = await estimateOf(gateway, query);
  expect([least.credits, most.credits]).toEqual([1, 3]);
  expect(await spend(gateway, query)).toMatchObject({ credits: 3 });
  // What is here by now is not possible any more.
  expect((await estimateOf(gateway, query)).most.credits).toBe(0);
});
