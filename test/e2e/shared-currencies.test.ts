import { describe, expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';
import { change } from './change.ts';
import { estimateOf } from './estimate.ts';

/** Fields of one operation that ask for prices in several currencies share what each of them needs anyway. */

const TTL_MS = 30_000;

/** Returns what an operation costs, which must be within its estimate. */
async function priceOf(bench: Bench, query: string): Promise<number> {
  const { least, most } = await estimateOf(bench, query);
  const cost = await bench.cost(query);
  expect(cost).toBeGreaterThanOrEqual(least.credits);
  expect(cost).toBeLessThanOrEqual(most.credits);
  return cost;
}

/** A gateway whose list of the first 500 assets has expired, and an asset that is not among them. */
async function afterList() {
  const bench = await open();
  await bench.ask('{ cryptoAssets { nodes { price } } }');
  bench.clock.advance(TTL_MS + 1);
  const [below] = assetsBelow500(bench.sandbox, 1);
  return { bench, below };
}

test('prices in dollars come from the currency that the field itself asks for', async () => {
  const { bench, below } = await afterList();
  // Both assets by their tickers in euro, since no list has one of them; that one in lira.
  const query = `{
    btc: cryptoAsset(symbol: "BTC") { price priceIn(convert: EUR) }
    low: cryptoAsset(symbol: "${below}", convert: EUR) { price priceIn(convert: TRY) }
  }`;
  expect(await priceOf(bench, query)).toBe(2);
});

test('the price of an asset that no list has does not bring a list in its currency', async () => {
  const { bench, below } = await afterList();
  const query = `{
    low: cryptoAsset(symbol: "${below}") { volume24h priceIn(convert: TRY) }
    first: cryptoAssets { nodes { price } }
    btc: cryptoAsset(symbol: "BTC") { marketCap }
  }`;
  expect(await priceOf(bench, query)).toBe(2);
});

test('a list that prices come from also has the assets of other fields', async () => {
  const bench = await open();
  await bench.ask('{ cryptoAsset(symbol: "BTC") { price } }');
  bench.clock.advance(3 * TTL_MS);
  const query = `{
    usdt: cryptoAsset(symbol: "USDT", convert: TRY) { price }
    last: cryptoAssets(last: 5) { nodes { price priceIn(convert: TRY) } }
  }`;
  expect(await priceOf(bench, query)).toBe(1);
});

test('an asset without a dollar price in the answer in lira is listed all the same', async () => {
  const bench = await open();
  const symbols = (convert: string) =>
    `{ cryptoAssets(first: 3, convert: ${convert}) { nodes { symbol } } }`;
  const expected = await bench.get(symbols('USD'));
  await bench.get(symbols('TRY'));
  bench.clock.advance(TTL_MS);
  change(bench, '/crypto/prices', (records, asked) =>
    records.map((one, i) => (i === 1 && asked.includes('TRY') ? { ...one, priceUsd: null } : one)),
  );
  expect(await bench.cost(symbols('USD'))).toBe(2);
  expect(await bench.get(symbols('USD'))).toEqual(expected);
});

describe('while another client uses lira,', () => {
  /** A gateway whose list in lira has just expired. */
  async function afterLira() {
    const bench = await open();
    await bench.get('{ cryptoAssets(first: 500, convert: TRY) { nodes { price } } }');
    bench.clock.advance(TTL_MS + 1);
    return bench;
  }

  const OWN = '{ symbol price marketCap }';

  test.each([
    [
      'one asset',
      `a: cryptoAsset(symbol: "BTC") { price } b: cryptoAssets(first: 10) { nodes ${OWN} }`,
    ],
    [
      'a list',
      `a: cryptoAssets(first: 10) { nodes ${OWN} } b: cryptoAssets(first: 10) { nodes { price } }`,
    ],
    [
      'an order',
      'a: cryptoAssets(first: 10, orderBy: { field: MARKET_CAP }) { nodes { symbol } } b: cryptoAssets(first: 10) { nodes { price } }',
    ],
  ])('dollars that a field needs anyway serve the others: %s', async (_, fields) => {
    expect(await priceOf(await afterLira(), `{ ${fields} }`)).toBe(1);
  });

  test('so do the dollars of an asset that no list has', async () => {
    const bench = await afterLira();
    const [below] = assetsBelow500(bench.sandbox, 1);
    const query = `{
      a: cryptoAsset(symbol: "${below}") { price }
      b: cryptoAsset(symbol: "${below}") ${OWN}
    }`;
    expect(await priceOf(bench, query)).toBe(1);
  });

  test('dollars that another operation is requesting are awaited', async () => {
    const { ask, sandbox } = await afterLira();
    const release = sandbox.fault({ kind: 'hold', times: 1 });
    const first = ask(`{ cryptoAssets(first: 10) { nodes ${OWN} } }`);
    await expect.poll(() => sandbox.requests()).toHaveLength(2);
    const second = ask('{ cryptoAsset(symbol: "BTC") { price } }');
    await ask('{ __typename }');
    release();
    for (const { errors } of await Promise.all([first, second])) expect(errors).toEqual([]);
    expect(sandbox.requests()).toHaveLength(2);
  });
});

test('tickers asked for in lira serve for dollars, rather than a list that may lack them', async () => {
  const bench = await open();
  const [below] = assetsBelow500(bench.sandbox, 1);
  const query = `{
    a: cryptoAssets { nodes { marketCap } }
    b: cryptoAsset(symbol: "${below}") { price }
    c: cryptoAsset(symbol: "${below}", convert: TRY) { price }
  }`;
  expect(await priceOf(bench, query)).toBeLessThanOrEqual(3);
});

test('a selected currency serves for dollars, rather than a list that may lack the asset', async () => {
  const bench = await open();
  const [below] = assetsBelow500(bench.sandbox, 1);
  const query = `{
    a: cryptoAssets { nodes { marketCap } }
    b: cryptoAsset(symbol: "${below}") { price priceIn(convert: TRY) }
  }`;
  expect(await priceOf(bench, query)).toBeLessThanOrEqual(3);
});

test('if dollars that are requested anyway fail, the last prices in a currency in use are shown', async () => {
  const { ask, sandbox, clock } = await open();
  await ask('{ cryptoAssets(convert: TRY) { nodes { price } } }');
  clock.advance(TTL_MS + 1);
  sandbox.fault({ kind: 'status', status: 503 });
  const { data, extensions } = await ask<{ b: object | null }>(`{
    a: cryptoAssets(first: 10) { nodes { marketCap } }
    b: cryptoAsset(symbol: "BTC") { price }
  }`);
  expect(data?.b).toEqual({ price: expect.any(Number) });
  expect(extensions.usage.upstream.stale).toBeGreaterThan(0);
});
