import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';
import { change } from './change.ts';

/** Prices do not go back when an answer that the upstream has made earlier arrives later than another one. */

const LIST = '{ list: cryptoAssets(first: 100, convert: EUR) { nodes { symbol price rank } } }';
const ASSET = '{ asset: cryptoAsset(symbol: "BTC", convert: EUR) { price } }';

interface Priced {
  price: number;
  rank: number;
}

/** Makes one kind of request be answered with what the upstream had an hour before. */
function delay(bench: Bench, isDelayed: (asked: string) => boolean): void {
  change(bench, '/crypto/prices', (records, asked) =>
    records.map((one) =>
      isDelayed(asked)
        ? { ...one, price: 1, updatedAt: new Date(bench.clock.now() - 3_600_000).toISOString() }
        : one,
    ),
  );
}

const isByTicker = (asked: string) => asked.includes('symbols=');
const priceIn = async ({ get }: Bench) => (await get<{ asset: Priced }>(ASSET)).asset.price;
const firstIn = async ({ get }: Bench) =>
  (await get<{ list: { nodes: Priced[] } }>(LIST)).list.nodes[0];

/** Asks for an asset that is in lists, by its ticker: along with one that is not. */
async function askByTicker(bench: Bench): Promise<void> {
  const [below] = assetsBelow500(bench.sandbox, 1);
  const symbols = JSON.stringify(['BTC', below]);
  await bench.get(
    `{ cryptoAssets(convert: EUR, filter: { symbols: ${symbols} }) { nodes { price } } }`,
  );
}

/** A gateway that knows which assets are listed, and whose answers have expired. */
async function afterList() {
  const bench = await open();
  await bench.get('{ cryptoAssets(first: 500, convert: EUR) { nodes { price } } }');
  bench.clock.advance(30_000);
  return bench;
}

test('a list does not bring back an earlier price of an asset that was asked for by its ticker', async () => {
  const bench = await afterList();
  delay(bench, (asked) => !isByTicker(asked));
  await askByTicker(bench);
  const price = await priceIn(bench);
  expect(price).not.toBe(1);
  expect(await firstIn(bench)).toMatchObject({ price, rank: 1 });
  expect(await priceIn(bench)).toBe(price);
});

test('an answer by ticker does not bring back an earlier price than that of a list', async () => {
  const bench = await afterList();
  const { get, clock, sandbox } = bench;
  await askByTicker(bench);
  clock.advance(30_000);
  const { price } = (await firstIn(bench))!;
  delay(bench, isByTicker);
  clock.advance(3000);
  // The request for this asset also asks for the other one again. Its answer outlasts the list.
  const [below = ''] = assetsBelow500(sandbox, 1);
  await get(`{ cryptoAsset(symbol: "${below}", convert: EUR) { price } }`);
  expect(sandbox.requests().at(-1)?.path).toContain('BTC');
  clock.advance(28_000);
  const before = sandbox.requests().length;
  expect(await priceIn(bench)).toBe(price);
  expect(sandbox.requests()).toHaveLength(before);
});

test('earlier times count again in answers that cannot have been on their way meanwhile', async () => {
  const bench = await afterList();
  await askByTicker(bench);
  delay(bench, () => true);
  bench.clock.advance(30_000);
  expect(await firstIn(bench)).toMatchObject({ price: 1, rank: 1 });
  expect(await priceIn(bench)).toBe(1);
});

test('a wrong time does not keep a price, however often the asset is asked for', async () => {
  const bench = await open({ env: { TTL_CRYPTO: '3' } });
  const { clock, sandbox } = bench;
  const inAnHour = new Date(clock.now() + 3_600_000).toISOString();
  change(bench, '/crypto/prices', (records) =>
    records.map((one) => ({ ...one, price: 1, updatedAt: inAnHour })),
  );
  await firstIn(bench);
  sandbox.clearFaults();
  for (let i = 0; i < 3; i += 1) {
    clock.advance(4000);
    await firstIn(bench);
  }
  expect(await priceIn(bench)).not.toBe(1);
});
