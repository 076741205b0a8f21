import { isDeepStrictEqual } from 'node:util';
import { parse, validate } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { compileQuery } from '../../src/execution/compiler/compile.ts';
import { schema } from '../../src/schema.ts';
import { QUERIES } from '../ready-made.ts';
import { createClock } from '../sandbox/harness.ts';

/** The compiler is an option: whoever assembles the app may leave it out. */

async function open(compile: boolean) {
  const config = readConfig({ SANDBOX: '1', LOG_LEVEL: 'silent' });
  const app = await createApp(config, { now: createClock().now, compile });
  onTestFinished(() => app.close());
  return async (query: string) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    };
    const response = await app.fetch(new Request('http://localhost/graphql', init));
    return response.text();
  };
}

test('without it every ready-made operation gets the same response, cold and warm', async () => {
  const [compiled, plain] = await Promise.all([open(true), open(false)]);
  for (const [name, text] of [...QUERIES, ...QUERIES]) {
    const wanted = await plain(text);
    expect([name, wanted]).toEqual([name, expect.stringContaining('"data":{')]);
    expect([name, await compiled(text)]).toEqual([name, wanted]);
  }
});

// A plugin of the schema's builder that wraps resolvers would end this, and nothing else would tell.
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
