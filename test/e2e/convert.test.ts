import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { open } from '../harness.ts';
import { estimateOf } from './estimate.ts';

/** `convert`: an amount in another currency, by the rates from a single request. */

interface Rate {
  pair: string;
  buying: number;
  selling: number;
}
interface Conversion {
  rate: number;
  result: number;
  path: { pair: string }[];
}

const CURRENCIES = [...new Set(PAIRS.flatMap((pair) => [pair.slice(0, 3), pair.slice(3)]))];

const query = (args: string) =>
  `{ convert(${args}) { amount from to rate result path { pair } provenance { source stale } } }`;

const mid = ({ buying, selling }: Rate) => (buying + selling) / 2;

/** What one unit of `from` is worth in `to` by a pair, in either direction; undefined for other currencies. */
function directRate(rate: Rate, from: string, to: string): number | undefined {
  if (rate.pair === from + to) return mid(rate);
  return rate.pair === to + from ? 1 / mid(rate) : undefined;
}

/** All cross rates, by two pairs that share a currency. */
function crossRates(rates: readonly Rate[], from: string, to: string): number[] {
  return CURRENCIES.flatMap((via) => {
    const steps = [
      rates.map((one) => directRate(one, from, via)),
      rates.map((one) => directRate(one, via, to)),
    ];
    const [first, second] = steps.map((all) => all.find((one) => one !== undefined));
    return first && second ? [first * second] : [];
  });
}

test('any amount is converted by one pair or by two, with one request in all', async () => {
  const { get, sandbox } = await open();
  await get('{ fxRates { totalCount } }');
  const rates = (sandbox.answer('A', '/v1/fx/rates').body as { data: Rate[] }).data;
  const seen = {};
  const currency = fc.constantFrom(...CURRENCIES);
  const amount = fc.oneof(
    fc.integer({ min: 0, max: 1e6 }),
    fc.double({ min: 0, max: 1e9, noNaN: true }),
  );
  const isCorrect = async (from: string, to: string, quantity: number) => {
    const args = `amount: ${quantity}, from: "${from}", to: "${to}"`;
    const { convert } = await get<{ convert: Conversion | null }>(query(args));
    const direct = rates.flatMap((rate) => directRate(rate, from, to) ?? []);
    const expected = from === to ? [1] : direct.length > 0 ? direct : crossRates(rates, from, to);
    const { rate = NaN, result = NaN, path = [] } = convert ?? {};
    const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-12 * Math.abs(b);
    expect([from, to, convert === null]).toEqual([from, to, expected.length === 0]);
    expect(convert === null || expected.some((one) => isNear(rate, one))).toBe(true);
    expect(convert === null || isNear(result, quantity * rate)).toBe(true);
    const pairs = from === to || !convert ? 0 : direct.length > 0 ? 1 : 2;
    expect(path).toHaveLength(pairs);
    if (convert) Object.assign(seen, { [pairs]: true });
  };
  await fc.assert(fc.asyncProperty(currency, currency, amount, isCorrect), { numRuns: 300 });
  expect(Object.keys(seen)).toEqual(['0', '1', '2']);
  expect(sandbox.spent()).toEqual({ fx: 1, macro: 0, credits: 0 });
});

test('results show no binary rounding errors, and codes are case-insensitive', async () => {
  const { get, sandbox } = await open();
  sandbox.fault({
    kind: 'rewrite',
    rewrite: (body) => ({
      ...Object(body),
      data: [
        { pair: 'USDTRY', buying: 1.1, selling: 1.1 },
        { pair: 'EURUSD', buying: 1.1, selling: 1.1 },
        { pair: 'EURCHF', buying: 0.5, selling: 1.5 },
        { pair: 'CHFTRY', buying: 1, selling: 1 },
        { pair: 'GBPXAU', buying: 0, selling: 0 },
      ],
    }),
  });
  const { a, b, c, d } = await get<Record<string, Conversion | null>>(`{
    a: convert(from: "eur", to: "Try") { rate path { pair } }
    b: convert(amount: 3, from: "USD", to: "EUR") { rate result path { pair } }
    c: convert(from: "GBP", to: "XAU") { rate }
    d: convert(from: "CHF", to: "USD") { rate path { pair } } }`);
  // The path whose pairs have the smallest spreads, although others lead there, too.
  expect(a).toEqual({ rate: 1.21, path: [{ pair: 'EURUSD' }, { pair: 'USDTRY' }] });
  expect(b).toEqual({
    rate: 0.909090909090909,
    result: 2.72727272727273,
    path: [{ pair: 'EURUSD' }],
  });
  expect(c).toBeNull();
  expect(d?.path.map(({ pair }) => pair)).toEqual(['CHFTRY', 'USDTRY']);
});

test('of several ways, the one whose two spreads are the smallest parts of their rates is used', async () => {
  const { get, sandbox } = await open();
  const rates = {
    // One exact rate and one that is far off; a spread the wrong way round; small rates; and the best way.
    EURUSD: [1, 1],
    USDTRY: [40, 60],
    EURGBP: [1.1, 0.9],
    GBPTRY: [50, 50],
    EURCHF: [0.95, 1.05],
    CHFTRY: [50, 50],
    EURJPY: [159, 161],
    JPYTRY: [0.25, 0.25],
  };
  const data = Object.entries(rates).map(([pair, [buying, selling]]) => ({
    pair,
    buying,
    selling,
  }));
  sandbox.fault({ kind: 'rewrite', rewrite: (body) => ({ ...Object(body), data }) });
  const { convert } = await get<{ convert: Conversion }>(query('from: "EUR", to: "TRY"'));
  expect(convert.path).toEqual([{ pair: 'EURJPY' }, { pair: 'JPYTRY' }]);
});

test('the rate over a third currency is rounded once', async () => {
  const { get, sandbox } = await open();
  const data = Object.entries({ USDSEK: 9.22875, USDDKK: 6.4411 }).map(([pair, rate]) => ({
    pair,
    buying: rate,
    selling: rate,
  }));
  sandbox.fault({ kind: 'rewrite', rewrite: (body) => ({ ...Object(body), data }) });
  const found = await get<{ convert: Conversion }>(query('from: "SEK", to: "DKK"'));
  // 6.4411 / 9.22875; with the inverse of 9.22875 rounded first, the last digit would be missing.
  expect(found.convert?.rate).toBe(0.697938507381823);
});

test('a currency converts to itself at a rate of 1, and a currency of no pair gives null', async () => {
  const { get } = await open();
  const same = await get<{ convert: Conversion }>(query('amount: 12.5, from: "USD", to: "usd"'));
  expect(same.convert).toMatchObject({
    rate: 1,
    result: 12.5,
    path: [],
    provenance: { source: 'fx' },
  });
  expect(await get(query('from: "USD", to: "QQQ"'))).toEqual({ convert: null });
});

test('converting a currency to itself requests rates only for their provenance', async () => {
  const bench = await open();
  const same = (fields: string) =>
    `{ convert(amount: 2, from: "USD", to: "usd") { ${fields} path { history { change } } } }`;
  expect(await bench.get(same('rate result from to'))).toEqual({
    convert: { rate: 1, result: 2, from: 'USD', to: 'USD', path: [] },
  });
  expect(bench.sandbox.requests()).toEqual([]);
  expect((await estimateOf(bench, same('provenance { source }'))).least.fx).toBe(1);
  expect(await bench.cost(same('provenance { source }'))).toBe(1);
});

test.each([
  ['amount: -1, from: "USD", to: "TRY"', 'amount'],
  ['amount: 1e14, from: "USD", to: "TRY"', 'amount'],
  ['from: "DOLLAR", to: "TRY"', 'from'],
  ['from: "USD", to: "T1Y"', 'to'],
])('a wrong argument is named and costs nothing: %s', async (args, name) => {
  const { ask, sandbox } = await open();
  const { data, errors } = await ask(query(args));
  expect(data).toEqual({ convert: null });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(errors[0]?.message).toMatch(new RegExp(`^${name}: `));
  expect(sandbox.requests()).toEqual([]);
});
