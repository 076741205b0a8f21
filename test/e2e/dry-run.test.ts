import { expect, test } from 'vitest';
import { open, type OpenOptions } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';
import { estimateOf, spend, type Units } from './estimate.ts';

/** Operations whose cache keys follow from their arguments alone. */
const EXACT = [
  '{ fxRates { nodes { mid } } }',
  '{ fxRate(pair: "USDTRY") { history { change } } }',
  '{ a: fxRate(pair: "USDTRY") { history { change } w: history(start: "2026-01-01") { change } } b: fxRate(pair: "EURTRY") { ...H } } fragment H on FxRate { history { change } }',
  '{ macroSeries(code: "TP.DK.USD.A.YTL") { name } macroCatalog { totalCount } }',
  '{ calendarEvents { nodes { event fxRates { mid } } } }',
  '{ legislationChanges(filter: { start: "2026-11-01", end: "2026-11-10" }) { totalCount } }',
  '{ cryptoAssets(first: 10) { nodes { t: priceIn(convert: TRY) e: priceIn(convert: EUR) } } }',
  '{ node(id: "FxRate:USDTRY") { ... on FxRate { history { change } } } }',
  '{ fxRate(pair: "USDTRY") { mid history @skip(if: true) { change } } }',
  '{ __typename usage { fx { usedThisMonth } } }',
  '{ convert(from: "USD", to: "TRY") { result } cryptoAssets(orderBy: { field: PRICE }) { totalCount } }',
  '{ macroSeries(code: "TP.DK.USD.A.YTL") { name frequency } }',
];

test.each(EXACT)('the estimate is what is spent, cold and warm: %s', async (query) => {
  const gateway = await open();
  const cold = await estimateOf(gateway, query);
  expect(cold.least).toEqual(cold.most);
  expect(cold.least).toEqual(await spend(gateway, query));
  const nothing = { fx: 0, macro: 0, credits: 0 };
  expect(await estimateOf(gateway, query)).toMatchObject({ least: nothing, most: nothing });
});

test('the last values may take one more request, as they may lie further back', async () => {
  const gateway = await open();
  const query = `{ fxRate(pair: "USDTRY") { history(last: 9000) { change } b: history(last: 20) { change } } }`;
  const { least, most } = await estimateOf(gateway, query);
  expect([least.fx, most.fx]).toEqual([2, 3]);
  expect((await spend(gateway, query)).fx).toBe(3);
  expect((await estimateOf(gateway, query)).most.fx).toBe(0);
  // The expired values tell how far back they lie.
  gateway.clock.advance(2 * 86_400_000);
  expect(await estimateOf(gateway, query)).toMatchObject({ least: { fx: 2 }, most: { fx: 2 } });
  expect((await spend(gateway, query)).fx).toBe(2);
});

test('if a list must be known first, the maximum is what the cap leaves', async () => {
  const gateway = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '7' } });
  const query = '{ fxRates { nodes { history { change } } } cryptoAssets { totalCount } }';
  const { least, most } = await estimateOf(gateway, query);
  expect(least).toEqual({ fx: 1, macro: 0, credits: 1 });
  expect(most).toEqual({ fx: 6, macro: 0, credits: 1 });
});

test.each(['BTC', 'ZZZ'])(
  'an asset that may rank too low for the list may cost one credit more in each market: %s',
  async (symbol) => {
    const gateway = await open();
    const query = `{ cryptoAsset(symbol: "${symbol}") { price priceIn(convert: TRY) } }`;
    const { least, most } = await estimateOf(gateway, query);
    expect([least.credits, most.credits]).toEqual([1, 2]);
  },
);

test('an asset that was in the last list of its market is assumed to be in the next one', async () => {
  const gateway = await open();
  const query = '{ cryptoAsset(symbol: "BTC") { price priceIn(convert: TRY) } }';
  expect((await spend(gateway, query)).credits).toBe(1);
  expect((await estimateOf(gateway, query)).most.credits).toBe(0);
  gateway.clock.advance(30_000);
  const { least, most } = await estimateOf(gateway, query);
  expect([least.credits, most.credits]).toEqual([1, 1]);
  expect((await spend(gateway, query)).credits).toBe(1);
});

test('a wrong argument is reported and costs nothing', async () => {
  const gateway = await open();
  const { most, errors } = await estimateOf(
    gateway,
    '{ fxRate(pair: "X") { mid } fxRates { totalCount } }',
  );
  expect(errors).toMatchObject([{ path: ['fxRate'], extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(most.fx).toBe(1);
});

test('requests of an exhausted meter are estimated at zero', async () => {
  const gateway = await open({ env: { FX_MONTHLY_LIMIT: '0' } });
  const { most } = await estimateOf(gateway, '{ fxRates { totalCount } }');
  expect(most.fx).toBe(0);
});

const THREE_EACH = `{ fxRates { totalCount } a: node(id: "FxRate:USDTRY") { ...H } b: node(id: "FxRate:EURTRY") { ...H }
  cryptoAssets { nodes { priceIn(convert: TRY) } } calendarEvents { totalCount } } fragment H on FxRate { history { change } }`;
const SCARCE: [what: string, options: OpenOptions, price: Units][] = [
  ['a limit', { env: { FX_MONTHLY_LIMIT: '3' } }, { fx: 2, macro: 0, credits: 2 }],
  ['the balance', { credits: 3 }, { fx: 3, macro: 0, credits: 2 }],
];

test.each(SCARCE)(
  '%s that is nearly used up bounds the estimate',
  async (_what, options, expected) => {
    const gateway = await open(options);
    await gateway.get('{ fxRate(pair: "GBPTRY") { mid } legislationChanges { totalCount } }');
    gateway.clock.advance(120_000);
    const { least, most } = await estimateOf(gateway, THREE_EACH);
    expect([least, most]).toEqual([expected, expected]);
    expect(await spend(gateway, THREE_EACH)).toEqual(expected);
  },
);

test('requests that follow from a list are bounded by what is left, too', async () => {
  const gateway = await open({ env: { FX_MONTHLY_LIMIT: '4' } });
  const query = '{ fxRates { nodes { history { change } } } }';
  const { least, most } = await estimateOf(gateway, query);
  expect([least.fx, most.fx]).toEqual([1, 4]);
  expect((await spend(gateway, query)).fx).toBe(4);
});

test('after a refusal for lack of units, the maximum includes what follows if units are there again', async () => {
  const gateway = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '5' } });
  const query = '{ fxRates { nodes { history { change } } } }';
  const body = { success: false, error: 'quota_exceeded', message: 'used up' };
  gateway.sandbox.fault({ kind: 'status', status: 429, body, times: 1 });
  expect((await gateway.ask(query)).errors).toMatchObject([{ extensions: { meter: 'fx' } }]);
  expect((await estimateOf(gateway, query)).most.fx).toBe(0);
  gateway.clock.advance(2 * 60_000);
  const { least, most } = await estimateOf(gateway, query);
  expect([least.fx, most.fx]).toEqual([1, 5]);
  expect((await spend(gateway, query)).fx).toBe(5);
});

test.each([
  ['{ legislationChanges(filter: { start: "2026-10-01" }) { totalCount } }', 2, 1],
  ['{ legislationChanges(filter: { start: "2026-10-01", types: [LAW] }) { totalCount } }', 3, 2],
  ['{ legislationChanges(filter: { types: [LAW] }) { totalCount } }', 2, 2],
])('an answer that may be cut short may need more requests: %s', async (query, most, spent) => {
  const gateway = await open({ legislationPageSize: 5 });
  await gateway.ask(
    '{ legislationChanges(filter: { start: "2026-06-01", end: "2026-07-01" }) { totalCount } }',
  );
  const estimate = await estimateOf(gateway, query);
  expect([estimate.least.credits, estimate.most.credits]).toEqual([1, most]);
  expect((await spend(gateway, query)).credits).toBe(spent);
});

test('more assets than one request takes may cost a credit for each request', async () => {
  const gateway = await open();
  const low = assetsBelow500(gateway.sandbox, 100);
  const unknown = Array.from({ length: 600 }, (_, i) => `JUNK${i}`);
  const field = (symbols: readonly string[]) =>
    `cryptoAssets(filter: { symbols: ${JSON.stringify(symbols)} }) { totalCount }`;
  const [one, other] = [unknown.slice(0, 300), unknown.slice(300)];
  const query = `{ a: ${field([...low.slice(0, 50), ...one])} b: ${field([...other, ...low.slice(50)])} }`;
  const { least, most } = await estimateOf(gateway, query);
  expect([least.credits, most.credits]).toEqual([1, 3]);
  expect((await spend(gateway, query)).credits).toBe(3);
});

test.each(['{ fxRates { totalCount } }', '{ calendarEvents { totalCount } }'])(
  'in the pause after a failure nothing is sent, and the estimate is zero: %s',
  async (query) => {
    const gateway = await open();
    gateway.sandbox.fault({ kind: 'status', status: 401, times: 1 });
    expect((await gateway.ask(query)).errors).toHaveLength(1);
    const { most, errors } = await estimateOf(gateway, query);
    const nothing = { fx: 0, macro: 0, credits: 0 };
    expect(most).toEqual(nothing);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_AUTHENTICATION' } }]);
    expect(await spend(gateway, query)).toEqual(nothing);
  },
);

const EVERY_CACHE =
  '{ health { ok } fxRates { totalCount } calendarEvents { totalCount } cryptoAsset(symbol: "ZZZ") { symbol } }';

test.each(['dry first', 'real first'])(
  'a dry run and a simultaneous real operation do not affect each other: %s',
  async (order) => {
    const gateway = await open({ latencyMs: 20 });
    const headers = { 'content-type': 'application/json' };
    const run = (extra: Record<string, string>) => {
      const body = JSON.stringify({ query: EVERY_CACHE });
      return gateway.send({ method: 'POST', headers: { ...headers, ...extra }, body });
    };
    const dry = { 'x-usage-dry-run': '1' };
    const replies = await Promise.all((order === 'dry first' ? [dry, {}] : [{}, dry]).map(run));
    const [estimated, executed] = order === 'dry first' ? replies : replies.toReversed();
    expect(estimated?.extensions.usage).toMatchObject({
      estimate: { least: { fx: 1, credits: 2 }, most: { fx: 1, credits: 3 } },
    });
    expect(executed?.errors).toEqual([]);
    expect(executed?.data).toMatchObject({ health: { ok: true }, cryptoAsset: null });
    expect(executed?.extensions.usage.upstream).toMatchObject({ requests: 5, coalesced: 0 });
  },
);
