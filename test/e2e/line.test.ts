import { expect, test } from 'vitest';
import { type Bench, open, type OpenOptions, timeoutFor } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';

/** How much is requested over lines of different speeds. */

const TODAY = '2026-11-20';
const coinQuery = (symbol: string) => `{ cryptoAsset(symbol: "${symbol}") { symbol price } }`;
const TOP_20 = '{ cryptoAssets(first: 20) { nodes { symbol } pageInfo { hasNextPage } } }';
const EVENTS = `{ calendarEvents(filter: { start: "${TODAY}", end: "${TODAY}" }) { nodes { event } } }`;
const history = (pair: string, start: string) =>
  `{ fxRate(pair: "${pair}") { history(start: "${start}") { points { value } } } }`;

/** A gateway that does not know the speed of its lines yet. */
const UNKNOWN_LINE = { UPSTREAM_BYTES_PER_SECOND: '1000000' };
/** A line that is slow in real time. */
const SLOW: OpenOptions = { bytesPerSecond: 50_000, monotonic: () => performance.now() };
/** Large answers time out over it; small ones have time on a busy machine, too. */
const SLOWER = { ...SLOW, env: { UPSTREAM_TIMEOUT_MS: '2500' }, bytesPerSecond: 20_000 };

const priceRequests = ({ sandbox }: Bench) =>
  sandbox
    .requests()
    .map(({ path }) => new URL(path, 'http://upstream'))
    .filter(({ pathname }) => pathname === '/crypto/prices')
    .map(({ searchParams }) => [searchParams.get('symbols'), searchParams.get('limit')]);

/** The first and the last day of each request whose path starts with `route`. */
const spans = ({ sandbox }: Bench, route: string) =>
  sandbox
    .requests()
    .map(({ path }) => new URL(path, 'http://upstream'))
    .filter(({ pathname }) => pathname.startsWith(route))
    .map(({ searchParams }) => [searchParams.get('start')!, searchParams.get('end')!] as const);

const daysOf = ([start, end]: readonly [string, string]) =>
  (Date.parse(end) - Date.parse(start)) / 86_400_000 + 1;

test('the first requests are little larger than what was asked for, later ones are widened as usual', async () => {
  const bench = await open({ env: UNKNOWN_LINE });
  const { cost, sandbox } = bench;
  const { body } = sandbox.answer('B', '/crypto/prices?limit=500');
  const symbols = (body as { data: { symbol: string }[] }).data.map(({ symbol }) => symbol);
  expect(await cost(coinQuery(symbols[1]!))).toBe(1);
  expect(await cost(TOP_20)).toBe(1);
  expect(await cost(coinQuery(symbols[40]!))).toBe(0);
  expect(await cost(coinQuery(symbols[300]!))).toBe(1);
  for (const i of [0, 1, 40, 300, 499]) expect(await cost(coinQuery(symbols[i]!))).toBe(0);
  expect(priceRequests(bench)).toEqual([
    [symbols[1], '500'],
    [null, '65'],
    [null, '500'],
  ]);
  await cost(EVENTS);
  expect(spans(bench, '/calendar').map(daysOf)).toEqual([94]);
});

test('over a slow line, requests for one coin, a page and a day are hardly widened', async () => {
  const bench = await open({ env: UNKNOWN_LINE, ...SLOW });
  const { cost } = bench;
  // A week of legislation is large enough to tell how fast the line is.
  await cost('{ legislationChanges(filter: { start: "2026-11-13" }) { nodes { title } } }');
  expect(await cost(coinQuery('ETH'))).toBe(1);
  expect(await cost(coinQuery('ETH'))).toBe(0);
  expect(await cost(TOP_20)).toBe(1);
  expect(await cost(TOP_20)).toBe(0);
  expect(await cost(coinQuery('BTC'))).toBe(0);
  await cost(EVENTS);
  const [one, page] = priceRequests(bench);
  expect(one).toEqual(['ETH', '500']);
  expect(page![0]).toBe(null);
  expect(Number(page![1])).toBeLessThanOrEqual(30);
  expect(daysOf(spans(bench, '/calendar')[0]!)).toBeLessThanOrEqual(3);
});

test('over a slow line, a page says whether another one follows, and the next query fetches it', async () => {
  const { get } = await open({ env: UNKNOWN_LINE, ...SLOW });
  interface Page {
    cryptoAssets: {
      nodes: { rank: number }[];
      pageInfo: { hasNextPage: boolean; endCursor: string };
    };
  }
  const page = (after: string) =>
    get<Page>(
      `{ cryptoAssets(first: 20${after}) { nodes { rank } pageInfo { hasNextPage endCursor } } }`,
    );
  const first = (await page('')).cryptoAssets;
  const second = (await page(`, after: "${first.pageInfo.endCursor}"`)).cryptoAssets;
  expect(first.pageInfo.hasNextPage).toBe(true);
  const ranks = [...first.nodes, ...second.nodes].map(({ rank }) => rank);
  expect(ranks).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
});

test('over a slow line, a long range does not widen the requests of others', async () => {
  const bench = await open({ env: UNKNOWN_LINE, ...SLOW });
  await bench.cost(history('EURTRY', '2022-11-20'));
  await bench.cost(history('USDTRY', '2026-11-13'));
  const [long, short] = spans(bench, '/v1/fx/rates/').map(daysOf);
  expect(long).toBeGreaterThanOrEqual(1462);
  expect(short).toBeLessThan(365);
});

test('over a slow line, a series with few values does not widen the requests for others', async () => {
  const bench = await open({ env: UNKNOWN_LINE, ...SLOW });
  const observations = (code: string, start: string) =>
    bench.cost(
      `{ macroSeries(code: "${code}") { observations(start: "${start}") { points { value } } } }`,
    );
  await observations('TP.FG.J0', '2006-11-20');
  await observations('TP.DK.USD.A', '2026-10-21');
  const [monthly, daily] = spans(bench, '/v1/macro/series/').map(daysOf);
  expect(monthly).toBeGreaterThan(7000);
  expect(daily).toBeLessThan(365);
});

test('after a list has timed out, only the asset is requested', async () => {
  const bench = await open(SLOWER);
  expect(await bench.cost(coinQuery('ETH'))).toBe(2);
  expect(await bench.cost(coinQuery('BTC'))).toBe(1);
  expect(priceRequests(bench)).toEqual([
    [null, '500'],
    ['ETH', '500'],
    ['ETH,BTC', '500'],
  ]);
});

test('after a list has timed out, only the page that was asked for is requested', async () => {
  const bench = await open(SLOWER);
  const page = '{ cryptoAssets(first: 18) { nodes { symbol } pageInfo { hasNextPage } } }';
  expect(await bench.cost(page)).toBe(2);
  expect(priceRequests(bench).map(([, limit]) => limit)).toEqual(['500', '19']);
  expect(await bench.cost(page)).toBe(0);
  expect(await bench.cost('{ cryptoAssets(first: 15) { nodes { symbol } } }')).toBe(0);
});

test('before the line is known, a page that is already large is not widened', async () => {
  const first390 = (more: string) => `{ cryptoAssets(first: 390) { nodes { symbol } ${more} } }`;
  const limitFor = async (more: string) => {
    const bench = await open({ env: UNKNOWN_LINE });
    expect(await bench.cost(first390(more))).toBe(1);
    expect(await bench.cost(first390(more))).toBe(0);
    return priceRequests(bench).map(([, limit]) => limit);
  };
  expect(await limitFor('')).toEqual(['390']);
  // Only the first asset of the next page tells that there is one.
  expect(await limitFor('pageInfo { endCursor hasNextPage }')).toEqual(['391']);
  expect(await limitFor('totalCount')).toEqual(['500']);
});

test('before the line is known, a range that is already large is not widened', async () => {
  const bench = await open({ env: UNKNOWN_LINE });
  const dates = ['2014-07-01', '2025-12-31'] as const;
  await bench.cost(
    `{ fxRate(pair: "USDTRY") { history(start: "${dates[0]}", end: "${dates[1]}") { points { value } } } }`,
  );
  expect(spans(bench, '/v1/fx/rates/')).toEqual([dates]);
});

test('after days have timed out, they are requested again without those that nobody asked for', async () => {
  const bench = await open(SLOWER);
  expect(await bench.cost(EVENTS)).toBe(2);
  const [widened, again] = spans(bench, '/calendar');
  expect(daysOf(widened!)).toBe(94);
  expect(again).toEqual([TODAY, TODAY]);
});

test('after a request for several ranges has timed out, each range is requested separately', async () => {
  const bench = await open(SLOWER);
  const part = (start: string, end: string) =>
    `history(start: "${start}", end: "${end}") { points { value } }`;
  const parts = [
    ['2017-01-01', '2017-06-30'],
    ['2026-01-01', '2026-06-30'],
  ] as const;
  const fields = parts.map(([start, end], i) => `part${i}: ${part(start, end)}`);
  const { data, errors } = await bench.ask(`{ fxRate(pair: "USDTRY") { ${fields.join(' ')} } }`);
  expect(errors).toEqual([]);
  const found = Object.values((data as { fxRate: Record<string, { points: unknown[] }> }).fxRate);
  for (const { points } of found) expect(points.length).toBeGreaterThan(100);
  const [together, first, second] = spans(bench, '/v1/fx/rates/');
  expect(daysOf(together!)).toBeGreaterThan(3400);
  expect(first).toEqual(parts[0]);
  expect(second![0] <= parts[1][0] && second![1] >= parts[1][1]).toBe(true);
});

test('additional tickers are left out after a timeout', async () => {
  const bench = await open({ env: timeoutFor('hang') });
  const [one = '', other = ''] = assetsBelow500(bench.sandbox, 2);
  await bench.cost(coinQuery(one));
  bench.sandbox.fault({ path: '/crypto/prices', kind: 'hang', times: 1 });
  await bench.cost(coinQuery(other));
  expect(priceRequests(bench)).toEqual([
    [null, '500'],
    [one, '500'],
    [`${one},${other}`, '500'],
    [other, '500'],
  ]);
});
