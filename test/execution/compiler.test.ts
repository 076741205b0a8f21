import { isDeepStrictEqual } from 'node:util';
import { parse, validate } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { compileQuery } from '../../src/execution/compiler/compile.ts';
import { schema } from '../../src/schema.ts';
import { QUERIES } from '../ready-made.ts';
import { createClock } from '../sandbox/harness.ts';

/** The compiler is optional: `createApp` works without it. */

async function open(compile: boolean) {
  const config = readConfig({ SANDBOX: '1', LOG_LEVEL: 'silent' });
  const app = await createApp(config, { now: createClock().now, compile });
  onTestFinished(() => app.close());
  return async (query: string, variables?: object) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    };
    const response = await app.fetch(new Request('http://localhost/graphql', init));
    return response.text();
  };
}

test('without the compiler, every ready-made operation gets the same response, cold and warm', async () => {
  const [compiled, plain] = await Promise.all([open(true), open(false)]);
  for (const [name, text] of [...QUERIES, ...QUERIES]) {
    const wanted = await plain(text);
    expect([name, wanted]).toEqual([name, expect.stringContaining('"data":{')]);
    expect([name, await compiled(text)]).toEqual([name, wanted]);
  }
});

const RATES = '{ nodes { pair } }';
const INPUTS: [query: string, variables: object[]][] = [
  [
    `query ($n: Int) { fxRates(first: $n) ${RATES} }`,
    [{}, { n: 2 }, { n: null }, { n: 'x' }, { n: 2.5 }, { n: -1 }, { other: 1 }],
  ],
  [`query ($n: Int = 2) { fxRates(last: $n) ${RATES} }`, [{}, { n: 3 }, { n: null }, { n: [] }]],
  [`query ($n: Int!) { fxRates(first: $n) ${RATES} }`, [{}, { n: 3 }, { n: null }, { n: [4] }]],
  [
    `query ($p: CurrencyPair!, $q: CurrencyCode) { fxRates(filter: { pairs: [$p, "EURTRY"], quote: $q }) ${RATES} }`,
    [{}, { p: 'usd/try' }, { p: 'USDTRY', q: null }, { p: 'USDTRY', q: 'EUR' }, { p: 'USD' }],
  ],
  [
    `query ($f: FxRateFilter) { fxRates(filter: $f) ${RATES} }`,
    [{}, { f: null }, { f: { pairs: 'USDTRY' } }, { f: { base: 'usd' } }, { f: { wrong: 1 } }],
  ],
  [
    `query ($c: Boolean!, $d: Boolean = true) {
      a: fxRates(first: 1) @include(if: $c) ${RATES}
      b: fxRates(first: 2) @skip(if: $d) @include(if: $c) ${RATES}
      c: fxRates(first: 3) @skip(if: true) ${RATES}
      d: fxRates(first: 4) @include(if: true) ${RATES}
    }`,
    [{}, { c: true }, { c: false }, { c: true, d: false }, { c: null }, { c: 1 }],
  ],
  [`{ a: fxRates(first: 1) @skip(if: true) ${RATES} a: fxRates(first: 1) { totalCount } }`, [{}]],
  [`{ a: fxRates(first: 1) @skip(if: true) ${RATES} }`, [{}]],
  ['query ($a: Float!) { convert(amount: $a, from: "USD", to: "TRY") { result } }', [{}, { a: 2 }]],
  [
    'query ($a: Float = 3) { convert(amount: $a, from: "USD", to: "TRY") { result } }',
    [{}, { a: null }, { a: '1' }, { a: -1 }],
  ],
  ['query ($to: CurrencyCode!) { convert(from: "USD", to: $to) { result } }', [{ to: 'try' }]],
];

test.each(INPUTS)(
  'without the compiler, inputs are read in the same way: %s',
  async (query, sets) => {
    const [compiled, plain] = await Promise.all([open(true), open(false)]);
    for (const variables of sets) {
      const wanted = await plain(query, variables);
      expect([variables, await compiled(query, variables)]).toEqual([variables, wanted]);
    }
  },
);

// A plugin of the schema builder that wraps resolvers would prevent this, and nothing else would show it.
test.each([
  ['fxRates', '{ fxRates { nodes { id pair mid spread } edges { cursor } totalCount } }'],
  ['macroCatalog', '{ macroCatalog { nodes { id code name } pageInfo { endCursor } } }'],
  ['legislationChanges', '{ legislationChanges { nodes { id title topics type } } }'],
  ['calendarEvents', '{ calendarEvents { nodes { id event country } provenance { stale } } }'],
  ['cryptoAssets', '{ cryptoAssets { nodes { id symbol price } provenance { asOf } } }'],
  ['cryptoAssets', '{ cryptoAssets(orderBy: { field: PRICE }) { nodes { id symbol price } } }'],
  ['convert', '{ convert(from: "USD", to: "TRY") { rate result path { pair mid } } }'],
])('a page of %s is compiled as a whole', (name, text) => {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const query = compileQuery(document, schema);
  expect(query).toHaveProperty('jsonFields', new Map([[name, 'json']]));
});

const SERIES: [selection: string, isCompiled: boolean][] = [
  ['points { date value }', true],
  [
    'points(every: WEEK, take: MEAN) { date value } candles(every: MONTH) { open close } mean',
    true,
  ],
  ['points { date value } few: points(maxPoints: 5) { date }', true],
  ['points(maxPoints: $most) { date value }', false],
];

test.each(SERIES)('a series with %s is compiled: %s', (selection, isCompiled) => {
  const variables = selection.includes('$most') ? '($most: Int)' : '';
  const document = parse(
    `query ${variables} { fxRate(pair: "USDTRY") { history { ${selection} } } }`,
  );
  expect(validate(schema, document)).toEqual([]);
  const query = compileQuery(document, schema);
  const fields = new Map([['fxRate', new Map([['history', 'json']])]]);
  expect(isDeepStrictEqual(query?.jsonFields, fields)).toBe(isCompiled);
});
