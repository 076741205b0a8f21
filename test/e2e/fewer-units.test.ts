import { expect, test } from 'vitest';
import { FIRST_WORDS, SECOND_WORDS } from '../../src/sandbox/lists/crypto-tail.ts';
import { type Bench, open } from '../harness.ts';
import { change } from './change.ts';
import { estimateOf } from './estimate.ts';

/** Queries that can be answered from the answer to another query, or from an older one. */

const TTL_MS = 30_000;
const TOP_10 = '{ cryptoAssets(first: 10) { nodes { symbol rank price } } }';

function tickers({ sandbox }: Bench) {
  const { body } = sandbox.answer('B', '/crypto/prices?limit=500');
  const listed = (body as { data: { symbol: string }[] }).data.map(({ symbol }) => symbol);
  const all = FIRST_WORDS.flatMap(([first]) => SECOND_WORDS.map(([second]) => first + second));
  return { listed, unlisted: all.find((symbol) => !listed.includes(symbol))! };
}

const asset = (symbol: string) => `{ cryptoAsset(symbol: "${symbol}") { symbol price } }`;

test('if few assets are asked for, one list brings them all', async () => {
  const bench = await open();
  const { unlisted, listed } = tickers(bench);
  const askAll = async () => {
    let requests = 0;
    for (const query of [TOP_10, asset(unlisted), asset(listed[40]!)])
      requests += await bench.cost(query);
    return requests;
  };
  expect(await askAll()).toBe(2);
  for (let i = 0; i < 5; i += 1) {
    bench.clock.advance(TTL_MS);
    await askAll();
  }
  bench.clock.advance(TTL_MS);
  expect(await askAll()).toBe(1);
  const { nodes } = (await bench.get<{ cryptoAssets: { nodes: { rank: number }[] } }>(TOP_10))
    .cryptoAssets;
  expect(nodes.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const [last] = bench.sandbox.requests().slice(-1);
  const { body } = bench.sandbox.answer('B', last!.path);
  expect((body as { data: unknown[] }).data.length).toBeLessThan(30);
});

test('if new assets keep being asked for, the first 500 are requested', async () => {
  const bench = await open();
  const { listed } = tickers(bench);
  let requests = 0;
  for (let i = 0; i < 40; i += 1) {
    bench.clock.advance(TTL_MS / 5);
    requests += await bench.cost(asset(listed[i * 12]!));
  }
  expect(requests).toBeLessThanOrEqual(9);
});

test.each([
  ['fields', (all: string[]) => all.map((one) => `${one}: ${asset(one).slice(2, -2)}`).join(' ')],
  [
    'ids',
    (all: string[]) =>
      `nodes(ids: [${all.map((one) => `"CryptoAsset:${one}:USD::"`).join(', ')}]) { id }`,
  ],
  [
    // Other currencies, and first assets by rank, are asked for between the new assets.
    'several currencies',
    ([a, b, ...others]: string[]) =>
      `top: cryptoAssets(first: 5) { nodes { price marketCap } } a: cryptoAsset(symbol: "${a}") { price }
      b: cryptoAsset(symbol: "${b}", convert: EUR) { priceIn(convert: TRY) }
      cryptoAssets(first: 5, convert: TRY) { nodes { price } }
      ${others.map((one) => `${one}: ${asset(one).slice(2, -2)}`).join(' ')}`,
    3,
  ],
])('new assets of one operation are requested together: %s', async (_, fields, currencies = 1) => {
  for (const count of [2, 3, 5]) {
    const bench = await open();
    const { listed } = tickers(bench);
    for (const known of [TOP_10, asset(listed[0]!)]) {
      await bench.ask(known);
      bench.clock.advance(3 * TTL_MS);
    }
    const query = `{ ${fields(listed.slice(100, 100 + count))} }`;
    const { most } = await estimateOf(bench, query);
    const spent = await bench.cost(query);
    expect(spent).toBeLessThanOrEqual(most.credits);
    expect(spent).toBe(currencies);
  }
});

test('an answer in lira also gives prices in dollars, but neither market caps nor prices of an exchange', async () => {
  const { cost, get } = await open();
  const inDollars = (fields: string) => `{ cryptoAssets(first: 3) { nodes { ${fields} } } }`;
  expect(await cost('{ cryptoAssets(first: 3, convert: TRY) { nodes { price } } }')).toBe(1);
  const fields = 'id symbol convert price change24h';
  expect(await cost(inDollars(fields))).toBe(0);
  const derived = await get(inDollars(fields));
  const onExchange = (convert: string) =>
    `{ cryptoAsset(symbol: "BTC", exchange: "kraken", convert: ${convert}) { price } }`;
  expect(await cost(onExchange('TRY'))).toBe(1);
  expect(await cost(onExchange('USD'))).toBe(1);
  expect(await cost(inDollars(`${fields} marketCap`))).toBe(1);
  expect(await get(inDollars(fields))).toEqual(derived);
});

test('the history of a known pair needs no fresh rates, but its current value does', async () => {
  const { cost, clock, send } = await open();
  const query = (fields: string) => `{ fxRate(pair: "USDTRY") { ${fields} history { change } } }`;
  expect(await cost(query('pair'))).toBe(2);
  clock.advance(60_000);
  expect(await cost(query('pair'))).toBe(0);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query: query('pair') });
  const answer = await send({ method: 'POST', headers, body });
  // The same time to live as if the rates had just been fetched.
  expect(answer.headers.get('cache-control')).toBe('private, max-age=60');
  expect(await cost(query('buying'))).toBe(1);
  clock.advance(86_400_000);
  expect(await cost(query('pair'))).toBe(2);
});

test('after a query for more than a year, later ones fetch ten years', async () => {
  const { cost } = await open();
  const query = (code: string, start: string) =>
    `{ macroSeries(code: "${code}") { observations(start: "${start}") { change } } }`;
  await cost(query('TP.DK.USD.A', '2025-01-01'));
  expect(await cost(query('TP.DK.EUR.A', '2026-06-01'))).toBe(1);
  expect(await cost(query('TP.DK.EUR.A', '2017-06-01'))).toBe(0);
});

test('ranges that are years apart are fetched in one request once the size of a day is known', async () => {
  const { cost } = await open({ env: { WIDEN_MAX_BYTES: '20000' } });
  const start = '2022-02-01';
  for (const field of ['calendarEvents', 'legislationChanges']) {
    await cost(`{ ${field} { totalCount } }`);
    const then = `${field}(filter: { start: "${start}", end: "${start}" }) { totalCount }`;
    const now = `${field}(filter: { start: "2026-11-01", end: "2026-12-31" }) { totalCount }`;
    expect(await cost(`{ ${now} then: ${then} }`)).toBe(1);
  }
});

test('refreshing a range up to today also refreshes one up to a future day', async () => {
  const { cost, clock } = await open();
  const rates = (args: string) => `{ fxRate(pair: "USDTRY") { pair history${args} { change } } }`;
  const laws = (filter: string) => `{ legislationChanges(filter: { ${filter} }) { totalCount } }`;
  const start = 'start: "2026-11-05"';
  const ahead = `${start}, end: "2026-12-31"`;
  for (const query of [rates(`(${ahead})`), laws(ahead)]) await cost(query);
  clock.advance(900_000);
  for (const query of [rates(`(${start})`), laws(start)]) expect(await cost(query)).toBe(1);
  for (const query of [rates(`(${ahead})`), laws(ahead)]) expect(await cost(query)).toBe(0);
});

test('a search fetches a year', async () => {
  const { cost } = await open();
  const query = (start: string) =>
    `{ legislationChanges(filter: { search: "vergi", start: "${start}" }) { totalCount } }`;
  await cost(query('2026-11-01'));
  await cost(query('2026-06-01'));
  expect(await cost(query('2026-01-01'))).toBe(0);
});

test('fresh prices in lira serve queries in dollars even when lira is no longer asked for', async () => {
  const { cost, clock } = await open();
  const prices = (convert: string, fields = 'price') =>
    `{ cryptoAssets(first: 300, convert: ${convert}) { nodes { ${fields} } } }`;
  expect(await cost(prices('TRY'))).toBe(1);
  // Prices in lira are still in use, so they are refreshed in place of those in dollars.
  clock.advance(2 * TTL_MS - 1000);
  expect(await cost(prices('USD'))).toBe(1);
  clock.advance(2000);
  expect(await cost(prices('USD', 'name price'))).toBe(0);
});

test('lira is not requested in place of dollars if an asset has no dollar price', async () => {
  const bench = await open();
  change(bench, '/crypto/prices', (records) =>
    records.map((one, i) => (i === 7 ? { ...one, priceUsd: null } : one)),
  );
  const prices = (convert: string) =>
    `{ cryptoAssets(first: 300, convert: ${convert}) { nodes { price } } }`;
  expect(await bench.cost(prices('TRY'))).toBe(1);
  for (let i = 0; i < 3; i += 1) {
    bench.clock.advance(TTL_MS);
    expect(await bench.cost(prices('USD'))).toBe(1);
    expect(await bench.cost(prices('TRY'))).toBe(1);
  }
});

test('no further prices are requested for an empty list or an unknown asset', async () => {
  const bench = await open();
  const inEuro = '{ price priceIn(convert: EUR) }';
  expect(await bench.cost(`{ cryptoAssets(first: 0) { nodes ${inEuro} } }`)).toBe(1);
  const nothing = `{ cryptoAsset(symbol: "NOPE") ${inEuro} }`;
  await bench.ask(nothing);
  for (let i = 0; i < 3; i += 1) {
    bench.clock.advance(2 * TTL_MS);
    const { least, most } = await estimateOf(bench, nothing);
    expect([least.credits, most.credits]).toEqual([1, 1]);
    expect(await bench.cost(nothing)).toBe(1);
  }
});
