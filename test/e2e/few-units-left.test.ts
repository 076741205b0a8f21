import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { estimateOf } from './estimate.ts';

/** What an operation shows if it may send fewer requests than it needs: nothing is paid for in vain. */

const DEAR = ['cryptoAsset(symbol: "btc")', 'cryptoAssets(first: 2)'];
const priced = (field: string, inside: string) =>
  field.startsWith('cryptoAssets')
    ? `{ ${field} { nodes { ${inside} } } }`
    : `{ ${field} { ${inside} } }`;

test.each(DEAR)('%s comes before its prices in other currencies', async (field) => {
  const query = priced(
    field,
    'symbol price euro: priceIn(convert: EUR) lira: priceIn(convert: TRY)',
  );
  const gateway = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '1' } });
  const { least, most } = await estimateOf(gateway, query);
  expect([least.credits, most.credits]).toEqual([1, 1]);
  const { data, errors } = await gateway.ask(query);
  const text = JSON.stringify(data);
  expect(text).toContain('"symbol":"BTC"');
  expect(text).toMatch(/"price":\d/);
  // The answer has dollar prices and those in its own currency; the other currency is what the limit costs.
  expect(text.match(/"(euro|lira)":\d/g)?.length).toBe(field.includes('first: 2') ? 2 : 1);
  const codes = errors.map(({ extensions }) => extensions['code']);
  expect(new Set(codes)).toEqual(new Set(['UPSTREAM_BUDGET_EXCEEDED']));
  expect(gateway.sandbox.requests()).toHaveLength(1);
});

test('a failure that the limit leaves no request to repeat is told as what it is, and stale data are served', async () => {
  const { ask, get, clock, sandbox } = await open({
    env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '1' },
  });
  const rates = '{ fxRates { totalCount provenance { stale } } }';
  await get(rates);
  clock.advance(3_600_000);
  sandbox.fault({ kind: 'status', status: 503 });
  expect(await get(rates)).toMatchObject({ fxRates: { provenance: { stale: true } } });
  const { errors } = await ask('{ macroCatalog { totalCount } }');
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(sandbox.requests()).toHaveLength(3);
});

test('two failures that share the last request to repeat one of them are both told as what they are', async () => {
  const { ask, clock, sandbox } = await open({
    env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '3' },
  });
  const both =
    '{ fxRates { provenance { stale } } cryptoAssets(first: 2) { provenance { stale } } }';
  await ask(both);
  clock.advance(3_600_000);
  sandbox.fault({ kind: 'status', status: 503 });
  const { data, errors } = await ask(both);
  expect(errors).toEqual([]);
  const stale = { provenance: { stale: true } };
  expect(data).toEqual({ fxRates: stale, cryptoAssets: stale });
});
