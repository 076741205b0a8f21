import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';

/** While the upstream fails, no price older than one already shown is served, whichever answer has the latest one. */

const ONE = '{ one: cryptoAsset(symbol: "BTC") { price updatedAt } }';
const LIST = 'list: cryptoAssets(first: 300) { nodes { price updatedAt } }';

interface Shown {
  one: unknown;
  list: { nodes: unknown[] };
}

const fail = ({ sandbox }: Bench) =>
  sandbox.fault({ kind: 'status', status: 503, path: '/crypto/prices' });

test('an asset that was requested by its ticker does not fall back to an older list', async () => {
  const bench = await open();
  await bench.get('{ cryptoAssets(first: 5) { nodes { symbol } } }');
  for (const pause of [100_000, 100_000]) {
    bench.clock.advance(pause);
    await bench.get(ONE);
  }
  const { one } = await bench.get<Shown>(ONE);
  expect(bench.sandbox.requests().at(-1)?.path).toContain('symbols=');
  bench.clock.advance(100_000);
  fail(bench);
  const { list } = await bench.get<Shown>(`{ ${LIST} }`);
  expect(list.nodes[0]).toEqual(one);
  bench.clock.advance(10_000);
  expect(await bench.get(ONE)).toEqual({ one });
});

test('dollar prices do not fall back to an older answer in lira', async () => {
  const bench = await open();
  await bench.get('{ cryptoAssets(convert: TRY, first: 1) { nodes { priceUsd } } }');
  bench.clock.advance(29_000);
  await bench.get('{ cryptoAsset(symbol: "BTC") { marketCap } }');
  bench.clock.advance(29_000);
  const { one } = await bench.get<Shown>(ONE);
  bench.clock.advance(1500);
  fail(bench);
  expect(await bench.get(ONE)).toEqual({ one });
  const { list } = await bench.get<Shown>(`{ ${LIST} }`);
  expect(list.nodes[0]).toEqual(one);
});
