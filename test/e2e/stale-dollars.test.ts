import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';

/** Fields of one operation that take the price of an asset from answers in different currencies, one of them stale. */

interface Both {
  one: { price: number };
  own: { nodes: { price: number; marketCap: number }[] };
}

const ONE = 'one: cryptoAsset(symbol: "BTC") { price }';
const IN_LIRA = '{ cryptoAssets(first: 500, convert: TRY) { nodes { priceUsd } } }';

test('a price from a fresh answer in lira stays, even if a field brings stale dollars', async () => {
  const { get, clock, sandbox } = await open();
  const own = 'own: cryptoAssets(first: 1) { nodes { price marketCap } provenance { stale } }';
  const before = await get<Both>(`{ ${ONE} ${own} }`);
  clock.advance(600_000);
  await get(IN_LIRA);
  const { one } = await get<Both>(`{ ${ONE} }`);
  expect(one.price).not.toBe(before.one.price);
  sandbox.fault({ kind: 'status', status: 503, path: '/crypto/prices' });
  const { marketCap } = before.own.nodes[0]!;
  const both = {
    one,
    own: { nodes: [{ price: one.price, marketCap }], provenance: { stale: true } },
  };
  expect(await get(`{ ${ONE} ${own} }`)).toEqual(both);
  expect(await get(`{ ${own} ${ONE} }`)).toEqual(both);
});

test('a price in dollars that has just arrived stays, even if another asset of its field is stale', async () => {
  const { get, clock, sandbox } = await open();
  const [low] = assetsBelow500(sandbox, 1);
  const own = `own: cryptoAssets(filter: { symbols: ["BTC", "${low}"] }) { nodes { price marketCap } }`;
  const long = 'long: cryptoAssets(first: 400) { nodes { marketCap } }';
  await get(`{ ${ONE} ${own} ${long} }`);
  clock.advance(600_000);
  await get(IN_LIRA);
  const inLira = await get<Both>(`{ ${ONE} }`);
  clock.advance(20_000);
  sandbox.fault({
    kind: 'status',
    status: 503,
    path: (path) => path.startsWith('/crypto/prices') && path.includes(low!),
  });
  const { one, own: list } = await get<Both>(`{ ${long} ${ONE} ${own} }`);
  expect(one.price).not.toBe(inLira.one.price);
  expect(list.nodes[0]?.price).toBe(one.price);
  expect((await get<Both>('{ one: cryptoAsset(symbol: "BTC") { price } }')).one).toEqual(one);
});
