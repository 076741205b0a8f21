import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { assetsBelow500, firstAssets } from '../upstream.ts';
import { change } from './change.ts';

/** What is spent on the first assets by rank where one list by ticker may be asked for in place of all 500. */

const LIFETIME = 30_000;
const TOP = '{ cryptoAssets(first: 10) { nodes { symbol name rank } } }';

/** Few assets are asked for, one that no list has among them, until one list by ticker is asked for. */
async function settle({ ask, clock, sandbox }: Bench): Promise<void> {
  const [low] = assetsBelow500(sandbox, 1);
  for (let i = 0; i < 12; i += 1) {
    await ask(TOP);
    await ask(`{ cryptoAsset(symbol: "${low}") { price } }`);
    clock.advance(LIFETIME);
  }
}

test('where two of the first assets have one ticker, all are asked for at once', async () => {
  const bench = await open();
  const [, second = '', , , fifth] = firstAssets(bench.sandbox, 5);
  change(bench, '/crypto/prices', (records) =>
    records.map((one) => (one['symbol'] === fifth ? { ...one, symbol: second } : one)),
  );
  await settle(bench);
  for (let i = 0; i < 10; i += 1) {
    expect(await bench.cost(TOP)).toBe(1);
    bench.clock.advance(LIFETIME);
  }
  const { cryptoAssets } = await bench.get<{ cryptoAssets: { nodes: unknown[] } }>(TOP);
  expect(cryptoAssets.nodes[4]).toMatchObject({ symbol: second, rank: 5 });
});
