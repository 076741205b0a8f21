import { describe, expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';
import { STORES } from './stores.ts';

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

describe.each(STORES)('$name, lists of different lengths', ({ open: openStore, isMissing }) => {
  /** Two gateways, of which one takes the line for slow. */
  async function openTwo(latencyMs = 0) {
    const { env } = await openStore();
    const slow = await open({ env: { ...env, UPSTREAM_BYTES_PER_SECOND: '1000' }, latencyMs });
    return { slow, fast: await slow.another(env), sandbox: slow.sandbox };
  }

  test.skipIf(isMissing)('are one request at the same moment, for either', async () => {
    const { slow, fast, sandbox } = await openTwo();
    const answers = await Promise.all([slow.ask(FIRST_3), fast.ask(FIRST_3)]);
    expect(answers[0].data).toEqual(answers[1].data);
    expect(answers.map(({ errors }) => errors)).toEqual([[], []]);
    expect(sandbox.requests()).toHaveLength(1);
    const units = answers.map(({ extensions }) => extensions.usage.credits.used);
    expect(units.toSorted((a, b) => a - b)).toEqual([0, 1]);
  });

  test.skipIf(isMissing)('a short one serves only those to whom it suffices', async () => {
    const { slow, fast, sandbox } = await openTwo(300);
    const first = slow.get<Page>(FIRST_3);
    await expect.poll(() => sandbox.requests().length).toBe(1);
    // The last ones join the request of the first of these, for which a short list will do.
    const others = [3, 9, 20, 500].map((count) => fast.get<Page>(FIRST_3.replace('3', `${count}`)));
    const answers = await Promise.all([first, ...others]);
    const lengths = answers.map(({ cryptoAssets }) => cryptoAssets.nodes.length);
    expect(lengths).toEqual([3, 3, 9, 20, 500]);
    expect(sandbox.requests()).toHaveLength(2);
  });
});

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  test.skipIf(isMissing)(
    'an asset below the list of another gateway is looked for in no list, whatever the currency',
    async () => {
      const { env } = await openStore();
      const first = await open({ env });
      const other = await first.another(env);
      await first.ask('{ cryptoAssets(first: 500) { nodes { price } } }');
      const [symbol] = assetsBelow500(first.sandbox, 1);
      expect(await other.cost(`{ cryptoAsset(symbol: "${symbol}", convert: EUR) { price } }`)).toBe(
        1,
      );
    },
  );
});

interface Page {
  cryptoAssets: { nodes: readonly unknown[] };
}
