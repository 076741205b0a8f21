import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Requests and responses are bounded: lists, names, errors, records. */

const many = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => field(i)).join(' ');

const lists = (count: number, value: string) => Array.from({ length: count }, () => value);

test.each([
  ['pairs', '[CurrencyPair!]', 'fxRates', 'USDTRY'],
  ['codes', '[String!]', 'macroCatalog', 'TP.DK.USD.A'],
  ['topics', '[String!]', 'legislationChanges', 'tax'],
  ['types', '[LegislationType!]', 'legislationChanges', 'LAW'],
  ['changeTypes', '[LegislationChangeType!]', 'legislationChanges', 'REPEAL'],
  ['countries', '[CountryCode!]', 'calendarEvents', 'TR'],
  ['importance', '[Importance!]', 'calendarEvents', 'HIGH'],
  ['currencies', '[CurrencyCode!]', 'calendarEvents', 'TRY'],
  ['indicators', '[String!]', 'calendarEvents', 'CPI'],
])('%s: at most 500', async (name, type, field, value) => {
  const { ask, sandbox } = await open();
  const query = `query ($list: ${type}) { ${field}(filter: { ${name}: $list }) { totalCount } }`;
  const { errors } = await ask(query, { list: lists(501, value) });
  expect(errors).toMatchObject([
    {
      message: `filter.${name}: must have at most 500 items`,
      extensions: { code: 'BAD_USER_INPUT' },
    },
  ]);
  expect(sandbox.requests()).toEqual([]);
  expect((await ask(query, { list: lists(500, value) })).errors).toEqual([]);
});

test('a list is checked once, up to the first wrong item, however often it is used', async () => {
  // How often it is checked is counted in test/graph/arguments.test.ts, not timed here.
  const { ask, sandbox } = await open({ env: { MAX_PROCESSOR_MS_PER_OPERATION: '60000' } });
  const query = `query ($p: [CurrencyPair!]) { ${many(500, (i) => `a${i}: fxRates(filter: { pairs: $p }) { totalCount }`)} }`;
  const { errors } = await ask(query, { p: lists(500, '') });
  expect(errors).toHaveLength(101);
  expect(errors[0]?.message).toContain('filter.pairs[0]');
  expect(errors.at(-1)?.message).toBe('and 400 more errors');
  expect(sandbox.requests()).toEqual([]);
});

test('variables hold a bounded number of values', async () => {
  const { ask, sandbox } = await open();
  const query = 'query ($p: [CurrencyPair!]) { fxRates(filter: { pairs: $p }) { totalCount } }';
  const { data, errors } = await ask(query, { p: lists(330_000, '').slice(0, 300_000) });
  expect(data).toBeUndefined();
  expect(errors).toMatchObject([{ extensions: { code: 'OPERATION_TOO_LARGE' } }]);
  expect(sandbox.requests()).toEqual([]);
});

test('long names are not repeated in errors', async () => {
  const { ask } = await open();
  const unused = many(200, (i) => `$v${i}: Int`);
  const { errors } = await ask(`query ${'x'.repeat(500_000)}(${unused}) { __typename }`);
  expect(JSON.stringify(errors).length).toBeLessThan(1000);
  const wrong = await ask(`{ fxRates(filter: "${'x'.repeat(500_000)}") { totalCount } }`);
  expect(JSON.stringify(wrong.errors).length).toBeLessThan(2000);
});

const REPEATED = 'usage { fx { limit } } '.repeat(1000);
/** As a tree these are more fields than are looked at. */
const TREE = `query A { __schema { queryType { ...F0 } } }
  ${many(13, (i) => `fragment F${i} on __Type { a: ofType { ...F${i + 1} } b: ofType { ...F${i + 1} } }`)}
  fragment F13 on __Type { name }`;

test.each([
  ['in an operation', `{ ${REPEATED} }`],
  ['behind many fields', `${TREE} query B { __typename ${REPEATED} }`],
  ['in a fragment that is not used', `{ __typename } fragment F on Query { ${REPEATED} }`],
])(
  'a document that repeats a field a thousand times %s is refused before fields are compared',
  async (_where, query) => {
    const { ask } = await open();
    const { errors } = await ask(query);
    expect(errors).toMatchObject([{ extensions: { code: 'OPERATION_TOO_LARGE' } }]);
  },
);

test('an exceeded cap on upstream requests is reported once for all rows, with its name and value', async () => {
  const { ask, log, sandbox } = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '3' } });
  const { errors } = await ask('{ fxRates { nodes { history { change } } } }');
  expect(errors).toHaveLength(1);
  expect(errors[0]?.message).toContain('3 upstream requests (MAX_UPSTREAM_REQUESTS_PER_OPERATION)');
  expect(errors[0]?.extensions).toMatchObject({ code: 'UPSTREAM_BUDGET_EXCEEDED', count: 54 });
  expect(sandbox.requests()).toHaveLength(3);
  const warnings = log()
    .split('\n')
    .filter((line) => line.includes('MAX_UPSTREAM_REQUESTS_PER_OPERATION'));
  expect(warnings).toEqual([expect.stringContaining('"level":40')]);
});
