import { expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';

/** Lists of assets of several lengths: a gateway on a fast line asks for long ones, but also uses a short one. */

const FIRST_4 = '{ cryptoAssets(first: 4) { nodes { symbol price } } }';
const FIRST_3 = '{ cryptoAssets(first: 3) { nodes { symbol price } } }';

test('a short list that one gateway has serves another one that would ask for a longer one', async () => {
  const DATA_DIR = temporaryFolder();
  const slow = await open({ env: { DATA_DIR, UPSTREAM_BYTES_PER_SECOND: '1000' } });
  const fast = await slow.another({ DATA_DIR });
  await slow.ask(FIRST_4);
  expect(await fast.cost(FIRST_3)).toBe(0);
  expect(slow.sandbox.requests().map(({ path }) => path)).toEqual([
    expect.stringContaining('limit=4'),
  ]);
});

test('a question for a list waits for one that is under way if that suffices', async () => {
  const slow = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000' }, latencyMs: 50 });
  const [first4, first3] = await Promise.all([slow.ask(FIRST_4), slow.ask(FIRST_3)]);
  expect([first4.errors, first3.errors]).toEqual([[], []]);
  expect(slow.sandbox.requests()).toHaveLength(1);
});
