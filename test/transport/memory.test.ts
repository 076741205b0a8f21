import { expect, test } from 'vitest';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { open } from '../harness.ts';
import { begin, growthOf, type Sent } from './memory.ts';

/** Request bodies are read once and released, since an operation may wait for a long time. */

const COUNT = 30;
const PAD = 'x'.repeat(1_000_000);

const query = (i: number) => `{ fxRate(pair: "${PAIRS[i]}") { history { change } } }`;

const WAYS: Record<string, (i: number) => Sent> = {
  'a field that nobody reads': (i) => ({ body: JSON.stringify({ query: query(i), PAD }) }),
  'a variable that is not declared': (i) => ({
    body: JSON.stringify({ query: query(i), variables: { PAD } }),
  }),
  'extensions that nobody reads': (i) => ({
    body: JSON.stringify({ query: query(i), extensions: { PAD } }),
  }),
  'a field of a form': (i) => ({
    type: 'application/x-www-form-urlencoded',
    body: `query=${query(i)}&pad=${PAD}`,
  }),
};

test.each(Object.entries(WAYS))(
  'operations that wait for the upstream keep nothing of their bodies: %s',
  async (_name, sent) => {
    const bench = await open({ env: { UPSTREAM_TIMEOUT_MS: '60000' }, unreadUnits: COUNT });
    await bench.get('{ fxRates { totalCount } }');
    const release = bench.sandbox.fault({ kind: 'hold', path: '/v1/fx/rates/' });
    const growth = await growthOf(async () => {
      for (let i = 0; i < COUNT; i += 1) await begin(bench.url, sent(i));
      await expect.poll(() => bench.sandbox.requests().length).toBe(COUNT + 1);
    });
    release();
    expect(growth).toBeLessThan(COUNT / 2);
  },
);
