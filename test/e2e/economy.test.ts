import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';
import { change } from './change.ts';
import { asset, CASES, RANGE, upTo } from './economy-cases.ts';

/** How many upstream requests queries cost with an empty cache, and that they cost none when repeated. */

describe('the number of requests', () => {
  test.each(CASES)('$name: $requests, and none when repeated', async (wanted) => {
    const bench = await open();
    const query = `{ ${wanted.query(bench)} }`;
    expect(await bench.cost(query)).toBe(wanted.requests);
    const before = await bench.get(query);
    bench.clock.advance(29_000);
    expect(await bench.cost(query)).toBe(0);
    expect(await bench.get(query)).toEqual(before);
  });
});

const byText = (a = '', b = '') => a.localeCompare(b);

const ALL_DATASETS = `{
  fxRate(pair: "USDTRY") { mid history { change } }
  macroSeries(code: "TP.DK.USD.A") { name observations { change } }
  legislationChanges(filter: { ${RANGE} }) { totalCount }
  calendarEvents { totalCount }
  cryptoAsset(symbol: "BTC") { price }
}`;

test('100 identical operations at once on an empty cache send one request per dataset', async () => {
  const { ask, sandbox } = await open({ latencyMs: 20 });
  const replies = await Promise.all(upTo(100).map(() => ask(ALL_DATASETS)));
  const paths = sandbox.requests().map(({ path }) => path.split('?')[0]);
  expect(paths.toSorted(byText)).toEqual([
    '/calendar/events',
    '/crypto/prices',
    '/legislation/changes',
    '/v1/fx/rates',
    '/v1/fx/rates/USDTRY/history',
    '/v1/macro/catalog',
    '/v1/macro/series/TP.DK.USD.A',
  ]);
  for (const { data, errors } of replies) expect([data, errors]).toEqual([replies[0]?.data, []]);
  const sum = (meter: 'fx' | 'macro' | 'credits') =>
    replies.reduce((all, { extensions }) => all + extensions.usage[meter].used, 0);
  const used = { fx: sum('fx'), macro: sum('macro'), credits: sum('credits') };
  expect(used).toEqual({ fx: 2, macro: 2, credits: 3 });
  expect(used).toEqual(sandbox.spent());
});

test('an operation that waits for the request of another one says so and spends nothing on it', async () => {
  const { ask, sandbox } = await open();
  const release = sandbox.fault({ kind: 'hold', path: '/v1/fx/rates' });
  const first = ask('{ fxRate(pair: "USDTRY") { mid } }');
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  const second = ask('{ fxRate(pair: "EURTRY") { mid } cryptoAsset(symbol: "BTC") { price } }');
  // The second operation's own request shows that it has begun to wait for that of the first one.
  await expect.poll(() => sandbox.requests()).toHaveLength(2);
  release();
  const usages = (await Promise.all([first, second])).map(({ extensions: { usage } }) => [
    usage.fx.used,
    usage.credits.used,
    usage.upstream.requests,
    usage.upstream.coalesced,
  ]);
  expect(usages).toEqual([
    [1, 0, 1, 0],
    [0, 1, 1, 1],
  ]);
  expect(sandbox.requests()).toHaveLength(2);
});

test('assets missing from the last list are requested together, without waiting for the next list', async () => {
  const { sandbox, cost, clock } = await open();
  const [known, ...unknown] = assetsBelow500(sandbox, 3);
  const prices = (symbols: readonly unknown[]) =>
    `{ ${symbols.map((symbol, i) => asset(String(symbol), i)).join(' ')} }`;
  await cost(prices(['BTC', known]));
  clock.advance(30_000);
  expect(await cost(prices(['BTC', known, unknown[0]]))).toBe(1);
  clock.advance(30_000);
  expect(await cost(prices([unknown[1]]))).toBe(1);
});

test.each([
  ['whose last day has a value', '2026-09-01', '2026-09-30'],
  ['whose last days have none', '2026-09-01', '2026-09-27'],
])(
  'settled observations %s are not asked for again after the time to live of recent ones',
  async (_what, start, end) => {
    const { cost, clock } = await open({ env: { WIDEN_MAX_BYTES: '0' } });
    const observations = (fields: string) =>
      `{ macroSeries(code: "TP.DK.USD.A") { observations(start: "${start}", end: "${end}") { ${fields} } } }`;
    await cost(observations('points { date }'));
    clock.advance(3_600_000);
    expect(await cost(observations('change'))).toBe(0);
  },
);

test('an event that is due and has no value yet is asked for again only after a second', async () => {
  const bench = await open();
  change(bench, '/calendar', (events) => events.map((event) => ({ ...event, actual: null })));
  const query = '{ calendarEvents(filter: { start: "2026-11-24" }) { totalCount } }';
  bench.clock.set('2026-11-24T11:59:59+03:00');
  await bench.get(query);
  bench.clock.advance(1010);
  expect(await bench.cost(query)).toBe(1);
  bench.clock.advance(999);
  expect(await bench.cost(query)).toBe(0);
  bench.clock.advance(1);
  expect(await bench.cost(query)).toBe(1);
});
