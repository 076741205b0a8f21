import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { assetsBelow500, upstreamAnswer, type UpstreamRecord } from '../upstream.ts';
import { change } from './change.ts';

/** Assets requested by their tickers: what one client asks for does not harm the next. */

interface Nodes {
  list: { nodes: { symbol: string }[] };
}

const BY_SYMBOLS =
  'query ($symbols: [String!]) { list: cryptoAssets(first: 500, filter: { symbols: $symbols }) { nodes { symbol } } }';

async function symbolsOf({ get }: Bench, symbols: string[]): Promise<string[]> {
  const { list } = await get<Nodes>(BY_SYMBOLS, { symbols });
  return list.nodes.map(({ symbol }) => symbol).toSorted();
}

const tickersIn = ({ sandbox }: Bench) =>
  sandbox
    .requests()
    .map(({ path }) => new URLSearchParams(path.split('?')[1]).get('symbols')?.split(','))
    .filter((symbols) => symbols !== undefined);

/** Each becomes 57 bytes of a URL, its comma included: 268 of them do not fit into one request. */
const UNKNOWN_TICKERS = Array.from(
  { length: 268 },
  (_, i) => '$'.repeat(17) + String(i).padStart(3, '0'),
);

test('tickers that do not exist are never requested along with others', async () => {
  const bench = await open();
  const [first = '', second = ''] = assetsBelow500(bench.sandbox, 2);
  expect(await symbolsOf(bench, UNKNOWN_TICKERS)).toEqual([]);
  bench.clock.advance(30_000);
  expect(await symbolsOf(bench, [first])).toEqual([first]);
  expect(await symbolsOf(bench, [second])).toEqual([second]);
  expect(tickersIn(bench).slice(-2)).toEqual([[first], [first, second]]);
});

test('a ticker that does not exist stays free, whatever else was found', async () => {
  const bench = await open();
  const { get, sandbox, clock } = bench;
  await symbolsOf(bench, assetsBelow500(sandbox, 1));
  await get('{ cryptoAsset(symbol: "GONE") { price } }');
  const before = sandbox.requests().length;
  for (let i = 0; i < 5; i += 1) {
    clock.advance(30_000);
    await get('{ cryptoAsset(symbol: "GONE") { price } }');
  }
  const asked = sandbox.requests().slice(before);
  expect(asked.map(({ status, cost }) => `${status}: ${cost}`)).toEqual(Array(5).fill('404: 0'));
});

test('after a 404 for a moment, assets are requested together as before', async () => {
  const { ask, clock, sandbox } = await open();
  const listed = upstreamAnswer(sandbox, 'B', '/crypto/prices?limit=500').data;
  const symbols = Array.from({ length: 24 }, (_, i) => listed[20 * i]?.symbol);
  const rounds: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const release =
      round === 5
        ? sandbox.fault({ kind: 'status', status: 404, path: '/crypto', body: {} })
        : undefined;
    const before = sandbox.requests().length;
    for (const symbol of symbols)
      await ask('query ($symbol: String!) { cryptoAsset(symbol: $symbol) { price } }', { symbol });
    rounds.push(sandbox.requests().length - before);
    release?.();
    clock.advance(30_500);
  }
  expect(rounds.slice(3)).toEqual([1, 1, 1, 1]);
});

test('no request is longer than UPSTREAM_MAX_URL_BYTES', async () => {
  const bench = await open({ env: { UPSTREAM_MAX_URL_BYTES: '200' } });
  const rare = assetsBelow500(bench.sandbox, 150);
  expect(await symbolsOf(bench, rare)).toEqual(rare.toSorted());
  bench.clock.advance(30_000);
  await symbolsOf(bench, rare.slice(0, 1));
  const lengths = bench.sandbox.requests().map(({ path }) => path.length);
  expect(lengths.length).toBeGreaterThan(4);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(200);
});

test.each([414, 431, 400])(
  'a request refused with %d is repeated without the additional tickers',
  async (status) => {
    const bench = await open();
    const [first = '', second = '', third = ''] = assetsBelow500(bench.sandbox, 3);
    await symbolsOf(bench, [first]);
    bench.sandbox.fault({ kind: 'status', status, path: '/crypto/prices?symbols', times: 1 });
    const before = bench.sandbox.spent().credits;
    expect(await symbolsOf(bench, [second])).toEqual([second]);
    expect(await symbolsOf(bench, [third])).toEqual([third]);
    expect(tickersIn(bench).slice(1)).toEqual([[first, second], [second], [second, third]]);
    expect(bench.sandbox.spent().credits - before).toBe(2);
  },
);

test('a whole answer is cached even if another ticker of the market was requested since', async () => {
  const bench = await open();
  const [first = ''] = assetsBelow500(bench.sandbox, 1);
  await symbolsOf(bench, ['NOSUCHTICKER']);
  await symbolsOf(bench, [first]);
  // What is known about the ticker is older than the last answer about this market.
  const query = '{ cryptoAsset(symbol: "NOSUCHTICKER") { price } }';
  await bench.ask(query);
  expect(bench.log()).not.toContain('"kept answer"');
  await bench.ask(query);
  expect(bench.log()).toContain('"kept answer"');
});

/**
 * Makes the upstream spell the third ticker in mixed case, and find it under no other spelling; returns that spelling.
 */
function spellThird(bench: Bench): string {
  const { data } = upstreamAnswer(bench.sandbox, 'B', '/crypto/prices?limit=500');
  const upperCase = String(data[2]?.['symbol']);
  const mixedCase = `x${upperCase.slice(1)}`;
  const spell = (record: UpstreamRecord) =>
    record['symbol'] === upperCase ? { ...record, symbol: mixedCase } : record;
  change(bench, '/crypto/prices', (records, asked) => {
    const named = new URLSearchParams(asked.split('?')[1]).get('symbols')?.split(',');
    if (!named) return records.map(spell);
    const found = records.filter(({ symbol }) => symbol !== upperCase);
    return named.includes(mixedCase) ? [...found, spell(data[2]!)] : found;
  });
  return mixedCase;
}

test('a ticker is requested as the upstream spells it', async () => {
  const bench = await open();
  const mixed = spellThird(bench);
  const [rare] = assetsBelow500(bench.sandbox, 1);
  const query = `{ list: cryptoAssets(first: 3) { nodes { symbol } } one: cryptoAsset(symbol: "${mixed.toLowerCase()}") { symbol } rare: cryptoAsset(symbol: "${rare}") { symbol } }`;
  for (let minute = 0; minute < 30; minute += 1) {
    const { list, one } = await bench.get<Nodes & { one: unknown }>(query);
    expect(one).toEqual({ symbol: mixed });
    expect(list.nodes).toContainEqual({ symbol: mixed });
    bench.clock.advance(60_000);
  }
  expect(tickersIn(bench).at(-1)).toContain(mixed);
  expect(await bench.cost(query)).toBe(1);
});

test('along with a ticker that is refused, others are paid for in one currency only', async () => {
  const { ask, cost, clock, sandbox } = await open();
  const [rare = ''] = assetsBelow500(sandbox, 1);
  const lira = 'lira: cryptoAsset(symbol: "BTC", convert: TRY) { price }';
  await cost(`{ ${lira} }`);
  clock.advance(31_000);
  const query = `{ cryptoAssets(filter: { symbols: ["~y", "${rare}"] }) { nodes { price } } ${lira} }`;
  const { errors, extensions } = await ask(query);
  expect(errors).toMatchObject([
    { path: ['cryptoAssets'], extensions: { code: 'BAD_USER_INPUT' } },
  ]);
  // The list in lira, and the rare one in dollars.
  expect(extensions.usage.credits.used).toBe(2);
});

test('a ticker with an unusual character costs no more than others while the list has it', async () => {
  const { cost, clock, sandbox } = await open();
  const rewrite = (body: unknown) =>
    JSON.parse(JSON.stringify(body).replaceAll('"USDT"', '"USD₮"'));
  sandbox.fault({ kind: 'rewrite', path: '/crypto/prices', rewrite });
  const dollars = '{ cryptoAssets(filter: { symbols: ["BTC", "USD₮"] }) { nodes { price } } }';
  const lira = '{ cryptoAssets(convert: TRY, first: 300) { nodes { price } } }';
  for (const query of [lira, dollars]) await cost(query);
  clock.advance(31_000);
  expect([await cost(dollars), await cost(lira)]).toEqual([1, 0]);
});

test('what is asked for at first does not count as growing demand: soon one list has it all', async () => {
  const { cost, clock, sandbox } = await open();
  const rare = assetsBelow500(sandbox, 8).map(
    (symbol) => `${symbol}: cryptoAsset(symbol: "${symbol}") { price }`,
  );
  const query = `{ cryptoAssets(first: 20) { nodes { price } } ${rare.join(' ')} }`;
  const costs: number[] = [];
  for (let times = 0; times < 4; times += 1) {
    costs.push(await cost(query));
    clock.advance(31_000);
  }
  expect(costs).toEqual([2, 2, 1, 1]);
});
