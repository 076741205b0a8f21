import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { firstAssets } from '../upstream.ts';

/** If something does not exist, the answer is null or empty; that is not a failure, and it is cached. */

test('an unknown pair, series or asset is null without an error, and is not requested again', async () => {
  const { get, cost } = await open();
  const query = `{
    rate: fxRate(pair: "XXXYYY") { mid history { change } }
    series: macroSeries(code: "TP.NOT.THERE") { name }
    asset: cryptoAsset(symbol: "NOSUCH") { price } }`;
  await get(query);
  expect(await get(query)).toEqual({ rate: null, series: null, asset: null });
  expect(await cost(query)).toBe(0);
});

test('the history of a pair or series that the last list lacked is not requested before the next list', async () => {
  const { get, sandbox, clock } = await open();
  const query = `{
    rate: fxRate(pair: "XXXYYY") { mid history { change } }
    series: macroSeries(code: "TP.NOT.THERE") { observations { change } } }`;
  await get(query);
  const before = sandbox.requests().length;
  clock.advance(7 * 3_600_000);
  expect(await get(query)).toEqual({ rate: null, series: null });
  const asked = sandbox.requests().slice(before);
  expect(asked.map(({ path }) => path).toSorted()).toEqual(['/v1/fx/rates', '/v1/macro/catalog']);
});

test('the rates of events are not requested if no event is shown', async () => {
  const { cost, clock } = await open();
  const rates = (args: string) => `{ calendarEvents(${args}) { nodes { fxRates { mid } } } }`;
  expect(await cost(rates('first: 0'))).toBe(1);
  clock.advance(600_000);
  expect(await cost(rates('filter: { currencies: ["XXX"] }'))).toBe(1);
  clock.advance(600_000);
  expect(await cost(rates('first: 1'))).toBe(2);
});

test('unknown names in a filter are left out', async () => {
  const { get } = await open();
  expect(
    await get(`{
      rates: fxRates(filter: { pairs: ["USDTRY", "XXXYYY"] }) { nodes { pair } }
      series: macroCatalog(filter: { codes: ["TP.NOT.THERE"] }) { totalCount nodes { code } }
      assets: cryptoAssets(filter: { symbols: ["NOSUCH", "BTC"] }) { nodes { symbol } } }`),
  ).toEqual({
    rates: { nodes: [{ pair: 'USDTRY' }] },
    series: { totalCount: 0, nodes: [] },
    assets: { nodes: [{ symbol: 'BTC' }] },
  });
});

test('no_data is an empty list without an error, and is not requested again', async () => {
  const { ask, cost, sandbox } = await open();
  const page = '{ totalCount nodes { id } pageInfo { hasNextPage endCursor } }';
  const query = `{
    changes: legislationChanges(filter: { start: "2026-11-20", search: "no such words" }) ${page}
    events: calendarEvents(filter: { start: "2028-01-01", end: "2028-01-05" }) ${page}
    assets: cryptoAssets(filter: { symbols: ["NOSUCH"] }) ${page} }`;
  const { data, errors, extensions } = await ask(query);
  const empty = { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
  expect([data, errors]).toEqual([{ changes: empty, events: empty, assets: empty }, []]);
  const missing = sandbox.requests().filter(({ status }) => status === 404);
  expect(missing).toHaveLength(3);
  expect(extensions.usage.upstream.failed).toBe(0);
  // A 404 costs nothing.
  expect(extensions.usage.credits.used).toBe(sandbox.spent().credits);
  expect(await cost(query)).toBe(0);
});

test('a range without any points is an empty series', async () => {
  const { get } = await open();
  const empty = { points: [], latest: null, min: null, max: null, change: null };
  const series = '{ points { date } latest { date } min { date } max { date } change }';
  expect(
    await get(`{
      rate: fxRate(pair: "USDTRY") { history(start: "2026-11-14", end: "2026-11-15") ${series} }
      series: macroSeries(code: "TP.DK.USD.A") {
        observations(start: "2001-01-01", end: "2001-01-31") ${series} } }`),
  ).toEqual({ rate: { history: empty }, series: { observations: empty } });
});

test('one point has no change', async () => {
  const { get } = await open();
  const { rate } = await get<{ rate: { history: { points: unknown[] } } }>(
    `{ rate: fxRate(pair: "USDTRY") { history(start: "2026-11-19", end: "2026-11-19") {
      points { date value } change changePercent } } }`,
  );
  expect(rate.history).toMatchObject({ change: null, changePercent: null });
  expect(rate.history.points).toMatchObject([{ date: '2026-11-19' }]);
});

test('an asset that leaves the first 500 is still found', async () => {
  const { get, sandbox, clock } = await open();
  const [symbol = ''] = firstAssets(sandbox, 500).slice(-1);
  const query = `{ asset: cryptoAsset(symbol: "${symbol}") { symbol } }`;
  await get(query);
  clock.advance(60_000);
  sandbox.fault({
    kind: 'rewrite',
    path: '/crypto/prices?convert',
    rewrite: (body) => {
      const { data } = body as { data: unknown[] };
      return Object.assign({}, body, { data: data.slice(0, -1) });
    },
  });
  expect(await get(query)).toEqual({ asset: { symbol } });
});
