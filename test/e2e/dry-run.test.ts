import { expect, test } from 'vitest';
import { open } from '../harness.ts';

type Units = Record<'fx' | 'macro' | 'credits', number>;

/** Asks for the price of an operation, without anything being sent. */
async function price(gateway: Awaited<ReturnType<typeof open>>, query: string) {
  const before = gateway.sandbox.requests().length;
  const { data, errors, extensions } = await gateway.send({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-usage-dry-run': '1' },
    body: JSON.stringify({ query }),
  });
  expect(gateway.sandbox.requests()).toHaveLength(before);
  expect(data).toBeNull();
  const { estimate } = extensions.usage as unknown as { estimate: Record<'least' | 'most', Units> };
  return { ...estimate, errors };
}

/** Operations whose keys are known from their arguments. */
const EXACT = [
  '{ fxRates { nodes { mid } } }',
  '{ fxRate(pair: "USDTRY") { history { change } } }',
  '{ a: fxRate(pair: "USDTRY") { history { change } w: history(start: "2026-01-01") { change } } b: fxRate(pair: "EURTRY") { ...H } } fragment H on FxRate { history { change } }',
  '{ macroSeries(code: "TP.DK.USD.A.YTL") { name } macroCatalog { totalCount } }',
  '{ calendarEvents { nodes { event fxRates { mid } } } }',
  '{ legislationChanges(filter: { start: "2026-11-01", end: "2026-11-10" }) { totalCount } }',
  '{ cryptoAsset(symbol: "BTC") { price priceIn(convert: TRY) } }',
  '{ cryptoAssets(first: 10) { nodes { t: priceIn(convert: TRY) e: priceIn(convert: EUR) } } }',
  '{ node(id: "FxRate:USDTRY") { ... on FxRate { history { change } } } }',
  '{ fxRate(pair: "USDTRY") { mid history @skip(if: true) { change } } }',
  '{ __typename usage { fx { usedThisMonth } } }',
];

test.each(EXACT)('the price is what is spent, cold and warm: %s', async (query) => {
  const gateway = await open();
  const cold = await price(gateway, query);
  expect(cold.least).toEqual(cold.most);
  const { usage } = (await gateway.ask(query)).extensions;
  const spent = { fx: usage.fx.used, macro: usage.macro.used, credits: usage.credits.used };
  expect(cold.least).toEqual(spent);
  const nothing = { fx: 0, macro: 0, credits: 0 };
  expect(await price(gateway, query)).toMatchObject({ least: nothing, most: nothing });
});

test('where a list must be known first, the most is what the cap leaves', async () => {
  const gateway = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '7' } });
  const query = '{ fxRates { nodes { history { change } } } cryptoAssets { totalCount } }';
  const { least, most } = await price(gateway, query);
  expect(least).toEqual({ fx: 1, macro: 0, credits: 1 });
  expect(most).toEqual({ fx: 6, macro: 0, credits: 1 });
});

test('an asset that may rank too low for the list may cost one credit more', async () => {
  const gateway = await open();
  const { least, most } = await price(gateway, '{ cryptoAsset(symbol: "ZZZ") { price } }');
  expect([least.credits, most.credits]).toEqual([1, 2]);
});

test('a wrong argument is told, and has no price', async () => {
  const gateway = await open();
  const { most, errors } = await price(
    gateway,
    '{ fxRate(pair: "X") { mid } fxRates { totalCount } }',
  );
  expect(errors).toMatchObject([{ path: ['fxRate'], extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(most.fx).toBe(1);
});

test('a meter that is used up costs nothing', async () => {
  const gateway = await open({ env: { FX_MONTHLY_LIMIT: '0' } });
  const { most } = await price(gateway, '{ fxRates { totalCount } }');
  expect(most.fx).toBe(0);
});
