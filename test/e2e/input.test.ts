import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { INVALID, LISTS } from './invalid-input.ts';

/** Wrong arguments are named and cost nothing; loosely written ones mean what they seem to mean. */

/** Values that only the variables of an operation can carry. */
const VARIABLES: [declared: string, field: string, value: unknown][] = [
  ['$it: CurrencyPair!', 'fxRate(pair: $it) { mid }', 5],
  ['$it: Date', 'calendarEvents(filter: { start: $it }) { totalCount }', true],
  ['$it: ConvertCurrency!', 'cryptoAsset(symbol: "BTC", convert: $it) { price }', 'GBP'],
  ['$it: Importance!', 'calendarEvents(filter: { importance: [$it] }) { totalCount }', 'high'],
  ['$it: Int', 'fxRates(first: $it) { totalCount }', 1.5],
];

/** Literals of another type where a scalar is expected. */
const NON_STRINGS = [
  'fxRate(pair: 5) { mid }',
  'fxRates(filter: { base: ["USD"] }) { totalCount }',
  'fxRates(filter: { pairs: ["USDTRY", 5] }) { totalCount }',
  'calendarEvents(filter: { start: true }) { totalCount }',
  // Standard scalars are reported in the same way as those of this schema.
  'fxRates(first: "5") { totalCount }',
];

test.each(NON_STRINGS)('%s fails validation, and the error says where', async (field) => {
  const { url, sandbox } = await open();
  const answer = await fetch(`${url}?${String(new URLSearchParams({ query: `{ ${field} }` }))}`);
  const { errors } = (await answer.json()) as { errors: unknown };
  expect(errors).toMatchObject([
    { locations: [{ line: 1 }], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
  ]);
  expect(sandbox.requests()).toEqual([]);
});

test('the schema that is served has its description', async () => {
  const { get } = await open();
  const { __schema } = await get<{ __schema: { description: string } }>(
    '{ __schema { description } }',
  );
  expect(__schema.description).toMatch(/^Market data from two metered APIs/);
});

describe('a wrong argument', () => {
  test.each(INVALID)('%s: %s is named and nothing is sent', async (field, argument) => {
    const { ask, sandbox } = await open();
    const { status, data, errors } = await ask(`{ wrong: ${field} usage { fx { limit } } }`);
    expect([status, data]).toEqual([200, { wrong: null, usage: { fx: { limit: null } } }]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ path: ['wrong'], extensions: { code: 'BAD_USER_INPUT' } });
    expect(errors[0]?.message.slice(0, argument.length + 2)).toBe(`${argument}: `);
    expect(errors[0]?.extensions['retryable']).toBe(false);
    expect(sandbox.requests()).toEqual([]);
  });

  test.each(VARIABLES)('given as a variable, %s in %s', async (declared, field, it) => {
    const { ask, sandbox } = await open();
    const { errors } = await ask(`query (${declared}) { ${field} }`, { it });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors[0]?.message).toContain('$it');
    expect(sandbox.requests()).toEqual([]);
  });

  test('of a field that joins events with rates sends no request for rates', async () => {
    const { ask, sandbox } = await open();
    const wrong = 'wrong: fxRates(quote: "LIRA") { mid }';
    const list = (fields: string) => `{ calendarEvents(first: 2) { nodes { ${fields} } } }`;
    const { errors } = await ask(list(`event ${wrong}`));
    expect(errors[0]?.message).toMatch(/^quote: /);
    expect(sandbox.requests()).toMatchObject([{ group: 'B' }]);
    await ask(list(`${wrong} fxRates(quote: "TRY") { mid }`));
    expect(sandbox.requests()).toMatchObject([{ group: 'B' }, { path: '/v1/fx/rates' }]);
  });

  test('among the ids of nodes fails only its own entry', async () => {
    const { ask } = await open();
    const { data, errors } = await ask('{ nodes(ids: ["FxRate:USDTRY", "nonsense"]) { id } }');
    expect(data).toEqual({ nodes: [{ id: 'FxRate:USDTRY' }, null] });
    expect(errors).toMatchObject([
      { path: ['nodes', 1], message: expect.stringMatching(/^ids\[1\]: /) },
    ]);
  });
});

const CURSORS: [list: string, other: string][] = LISTS.map((list, i) => [
  list,
  LISTS[(i + 1) % LISTS.length] ?? '',
]);

describe('a cursor', () => {
  test.each(CURSORS)('of %s is refused by %s', async (list, other) => {
    const { ask, get, sandbox } = await open();
    const { page } = await get<{ page: { pageInfo: { endCursor: string } } }>(
      `{ page: ${list}(first: 1) { pageInfo { endCursor } } }`,
    );
    for (const argument of ['after', 'before'])
      for (const cursor of [page.pageInfo.endCursor, 'nonsense', '%%%']) {
        const query = `query ($it: String) { wrong: ${other}(${argument}: $it) { totalCount } }`;
        const { data, errors } = await ask(query, { it: cursor });
        expect(data).toEqual({ wrong: null });
        expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
        expect(errors[0]?.message).toMatch(new RegExp(`^${argument}: `));
      }
    // The one for the first page.
    expect(sandbox.requests()).toHaveLength(1);
  });
});

const LENIENT: [strict: string, forgiving: string][] = [
  ['fxRate(pair: "USDTRY") { id mid }', 'fxRate(pair: "usd/try") { id mid }'],
  ['fxRate(pair: "USDTRY") { id mid }', 'fxRate(pair: "Usd-Try") { id mid }'],
  [
    'fxRates(filter: { pairs: ["EURUSD"], base: "EUR" }) { nodes { id } }',
    'fxRates(filter: { pairs: ["eur/usd"], base: "eur" }) { nodes { id } }',
  ],
  [
    'fxRates(filter: { quote: "TRY" }) { totalCount }',
    'fxRates(filter: { quote: "try" }) { totalCount }',
  ],
  [
    'calendarEvents(filter: { countries: ["TR"], currencies: ["TRY"] }) { nodes { id } }',
    'calendarEvents(filter: { countries: ["tr"], currencies: ["try"] }) { nodes { id } }',
  ],
  ['cryptoAsset(symbol: "ETH") { id price }', 'cryptoAsset(symbol: "eth") { id price }'],
  [
    'cryptoAssets(filter: { symbols: ["ETH", "BTC"] }) { nodes { id } }',
    'cryptoAssets(filter: { symbols: ["btc", "Eth", "eth"] }) { nodes { id } }',
  ],
  ['fxRates { totalCount }', 'fxRates(filter: null, first: null, after: null) { totalCount }'],
  ['fxRates { totalCount }', 'fxRates(filter: { pairs: [], base: null }) { totalCount }'],
  ['cryptoAsset(symbol: "ETH") { id }', 'cryptoAsset(symbol: "ETH", convert: null) { id }'],
  [
    'calendarEvents { totalCount }',
    'calendarEvents(filter: { countries: [], currencies: [], importance: [], indicators: [] }) { totalCount }',
  ],
  ['macroCatalog { totalCount }', 'macroCatalog(filter: { codes: [] }) { totalCount }'],
];

describe('forgiving input', () => {
  test.each(LENIENT)('%s may also be written %s', async (strict, forgiving) => {
    const { get } = await open();
    const data = await get<Record<string, unknown>>(`{ one: ${strict} other: ${forgiving} }`);
    expect(data['one']).not.toBeNull();
    expect(data['other']).toEqual(data['one']);
  });
});
