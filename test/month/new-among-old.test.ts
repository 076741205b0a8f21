import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';

/** With few units left, what was never asked for is paid for, together with whatever old it is asked for. */

const HOUR_MS = 3_600_000;
/** The first instant of a month in the upstream's time zone. */
const NOVEMBER = '2026-10-31T21:00:00Z';

const prices = (symbols: readonly string[], convert = 'USD') =>
  `{ cryptoAssets(convert: ${convert}, filter: { symbols: ${JSON.stringify(symbols)} }) { nodes { symbol price } } }`;

/** A gateway with three credits left, assets of which the first is cached in euros and old, and all others are new. */
async function nearlySpent() {
  const bench = await open({ env: { CREDITS_MONTHLY_LIMIT: '100', TTL_CRYPTO: '1' } });
  const { ask, sandbox, clock } = bench;
  clock.set(NOVEMBER);
  const [old = '', ...others] = assetsBelow500(sandbox, 200);
  await ask('{ cryptoAssets(first: 500) { totalCount } }');
  await ask(prices([old], 'EUR'));
  for (let i = 0; sandbox.spent().credits < 97; i += 1) {
    await ask(prices([others.pop() ?? '']));
    if (i < 40) clock.advance(3 * HOUR_MS);
  }
  clock.advance(24 * HOUR_MS);
  return { bench, old, others };
}

test.each([
  ['the old one comes first', (old: string, other: string) => [old, other]],
  ['the new one comes first', (old: string, other: string) => [other, old]],
])('an old and a new asset are both shown: %s', async (_, order) => {
  const { bench, old, others } = await nearlySpent();
  expect(await bench.cost(prices([old], 'EUR'))).toBe(0);
  const { data, errors } = await bench.ask(prices(order(old, others[0]!), 'EUR'));
  expect(errors).toEqual([]);
  expect(data).toMatchObject({
    cryptoAssets: { nodes: [{ price: expect.any(Number) }, { price: expect.any(Number) }] },
  });
});
