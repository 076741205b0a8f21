import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';
import { estimateOf, spend } from './estimate.ts';

/** Long lists of tickers meet an upstream that allows only so many in a request: refusals are free, and soon there are none. */

const BY_SYMBOLS =
  'query ($symbols: [String!]) { list: cryptoAssets(first: 500, filter: { symbols: $symbols }) { nodes { symbol } } }';

const tickersIn = (path: string) =>
  new URLSearchParams(path.split('?')[1]).get('symbols')?.split(',') ?? [];

/** Refuses requests with more than `max` tickers, and those with `refused`. */
const limitTickers = ({ sandbox }: Bench, max: number, refused = '') =>
  sandbox.fault({
    kind: 'status',
    status: 422,
    path: (path) => tickersIn(path).length > max || tickersIn(path).includes(refused),
  });

/** Calls `ask`; returns the number of tickers and the status of each request that named some. */
async function requestsOf({ sandbox, clock }: Bench, ask: () => Promise<unknown>) {
  const before = sandbox.requests().length;
  await ask();
  const sent = sandbox.requests().slice(before);
  clock.advance(31_000);
  return sent
    .map(({ status, path }) => ({ status, count: tickersIn(path).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count}: ${status}`);
}

/** Asks for the tickers, expects all assets that exist, and returns what was sent. */
const lookUp = (bench: Bench, symbols: readonly string[]) =>
  requestsOf(bench, async () => {
    const { list } = await bench.get<{ list: { nodes: { symbol: string }[] } }>(BY_SYMBOLS, {
      symbols,
    });
    const existing = symbols.filter((symbol) => !symbol.startsWith('NONE'));
    expect(list.nodes.map(({ symbol }) => symbol).toSorted()).toEqual(existing.toSorted());
  });

/** Tickers of assets that are not among the first 500, and of as many that do not exist if there are too few of these. */
function lowTickers({ sandbox }: Bench, count: number): string[] {
  const existing = assetsBelow500(sandbox, 100);
  return existing.flatMap((symbol, i) => [symbol, `NONE${i}`]).slice(0, count);
}

test.each([
  { max: 50, asked: 60, answered: [50, 10] },
  { max: 100, asked: 120, answered: [100, 20] },
  { max: 50, asked: 120, answered: [50, 50, 20] },
  { max: 50, asked: 200, answered: [50, 50, 50, 50] },
  { max: 12, asked: 60, answered: [10, 10, 10, 10, 10, 10] },
])(
  'of an upstream that allows $max tickers in a request, $asked are asked for, and none is refused later',
  async ({ max, asked, answered }) => {
    const bench = await open();
    limitTickers(bench, max);
    const symbols = lowTickers(bench, asked);
    const inParts = answered.map((count) => `${count}: 200`);
    const first = await lookUp(bench, symbols);
    expect(first.filter((one) => one.endsWith('200'))).toEqual(inParts);
    expect(first.length).toBeGreaterThan(inParts.length);
    expect(await lookUp(bench, symbols)).toEqual(inParts);
  },
);

test('fields of one operation that are merged into too long a list get their assets', async () => {
  const bench = await open();
  limitTickers(bench, 50);
  const symbols = assetsBelow500(bench.sandbox, 60);
  const fields = symbols.map((one, i) => `a${i}: cryptoAsset(symbol: "${one}") { symbol }`);
  const query = `{ ${fields.join(' ')} }`;
  const expected = Object.fromEntries(symbols.map((symbol, i) => [`a${i}`, { symbol }]));
  expect(await bench.get(query)).toEqual(expected);
  bench.clock.advance(31_000);
  // The learned limit is known to a dry run, too.
  const { least, most } = await estimateOf(bench, query);
  const { credits } = await spend(bench, query);
  expect([least.credits, most.credits]).toEqual([credits, credits]);
  expect(
    bench.sandbox
      .requests()
      .slice(-2)
      .map(({ status }) => status),
  ).toEqual([200, 200]);
});

test('lists as long as one that was answered stay whole after a longer one was refused', async () => {
  const bench = await open();
  limitTickers(bench, 50);
  const symbols = assetsBelow500(bench.sandbox, 60);
  expect(await lookUp(bench, symbols.slice(0, 40))).toEqual(['40: 200']);
  await lookUp(bench, symbols);
  // Along with ten others, now that it is known that so many are allowed.
  expect(await lookUp(bench, symbols.slice(0, 40))).toEqual(['50: 200']);
});

test('tickers are asked for along with others as far as the upstream allows', async () => {
  const bench = await open();
  limitTickers(bench, 20);
  const symbols = assetsBelow500(bench.sandbox, 41);
  expect(await lookUp(bench, symbols.slice(0, 20))).toEqual(['20: 200']);
  expect(await lookUp(bench, symbols.slice(20, 40))).toEqual(['40: 422', '20: 200']);
  expect(await lookUp(bench, symbols.slice(40))).toEqual(['20: 200']);
});

test('a ticker that is refused makes its long list fail at the cost of one request', async () => {
  const bench = await open();
  const [odd = '', ...symbols] = assetsBelow500(bench.sandbox, 60);
  limitTickers(bench, Infinity, odd);
  const costs: number[] = [];
  for (let times = 0; times < 4; times += 1) {
    const { errors, extensions } = await bench.ask(BY_SYMBOLS, { symbols: [...symbols, odd] });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    costs.push(extensions.usage.credits.used);
    bench.clock.advance(31_000);
  }
  // The first time, the first 500 assets are requested as well.
  expect(costs).toEqual([2, 1, 1, 1]);
});
