import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { LONG_OPERATIONS, TURNS } from '../turns.ts';

/** Operations that are valid, or nearly so, and that nobody would write by hand. */

/** Returns the code of an operation's first error, if it has one. */
async function refusalOf({ ask }: Bench, query: string, variables?: object) {
  const { errors } = await ask(query, variables);
  return errors[0]?.extensions['code'];
}

const FIELDS = 'symbol convert price marketCap volume24h';

test('fields in a fragment are requested as if they stood outside of it', async () => {
  const [named, inline] = [await open(), await open()];
  for (const { get } of [named, inline])
    await get('{ cryptoAssets(first: 1, convert: TRY) { nodes { symbol } } }');
  const fragment = `fragment Asset on CryptoAsset { ${FIELDS} }`;
  const lists = (fields: string) => `{ cryptoAssets(first: 1) { nodes { ${fields} } } }`;
  expect(await named.get(`${lists('...Asset')} ${fragment}`)).toEqual(
    await inline.get(lists(FIELDS)),
  );
  const one = (fields: string) => `{ cryptoAsset(symbol: "ETH") { ${fields} } }`;
  expect(await named.get(`${one('...Asset')} ${fragment}`)).toEqual(await inline.get(one(FIELDS)));
});

test('the required length of a list follows from fragments, too', async () => {
  const env = { UPSTREAM_BYTES_PER_SECOND: '20000' };
  const [first, second] = [await open({ env }), await open({ env })];
  expect(
    await first.get(
      '{ cryptoAssets(first: 2) { ...List } } fragment List on CryptoAssetConnection { totalCount }',
    ),
  ).toEqual({ cryptoAssets: { totalCount: 500 } });
  expect(
    await second.get(
      '{ cryptoAssets(first: 5) { pageInfo { ...Page } } } fragment Page on PageInfo { hasNextPage }',
    ),
  ).toEqual({ cryptoAssets: { pageInfo: { hasNextPage: true } } });
});

test.each(TURNS)(
  'the order of the fields does not change what an operation costs, even on a slow line: %s',
  async (_turns, begin) => {
    const env = { UPSTREAM_BYTES_PER_SECOND: '60000', ...LONG_OPERATIONS };
    const list =
      'a: cryptoAssets(orderBy: { field: CHANGE_7D }, first: 3) { nodes { price e: priceIn(convert: EUR) t: priceIn(convert: TRY) } }';
    const one = 'b: cryptoAsset(symbol: "BTC") { priceIn(convert: TRY) }';
    begin();
    const [first, second] = [await open({ env }), await open({ env })];
    expect(await first.cost(`{ ${list} ${one} }`)).toBe(2);
    expect(await second.cost(`{ ${one} ${list} }`)).toBe(2);
  },
);

test.each([
  {
    what: 'days beside each other',
    first:
      'a: legislationChanges(filter: { start: "2026-03-10", end: "2026-03-19" }) { totalCount }',
    last: 'b: legislationChanges(filter: { start: "2026-03-20", end: "2026-03-29" }) { totalCount }',
  },
  {
    what: 'an asset and a list that has it',
    first: 'a: cryptoAsset(symbol: "BTC") { price }',
    last: 'b: cryptoAssets(orderBy: { field: CHANGE_7D }, first: 3) { nodes { price } }',
  },
])('$what are requested together, however long an operation takes in between', async (fields) => {
  const { get, cost } = await open({
    env: {
      UPSTREAM_BYTES_PER_SECOND: '60000',
      WIDEN_MAX_BYTES: '1',
      MAX_VALUES_PER_OPERATION: '1000000',
    },
  });
  await get('{ macroCatalog(first: 500) { nodes { id } } }');
  const names = Array.from({ length: 800 }, (_, i) => `n${i}: name`).join(' ');
  const long = `macroCatalog(first: 500) { nodes { ${names} } }`;
  expect(await cost(`{ ${fields.first} ${long} ${fields.last} }`)).toBe(1);
});

test('a fragment that is spread many times, in fragments that are spread, is too large', async () => {
  const bench = await open();
  const aliases = 'abcdefgh'.split('');
  const levels = [0, 1, 2, 3].map(
    (i) =>
      `fragment F${i} on __Type { ${aliases.map((a) => `${a}: ofType { ...F${i + 1} }`).join(' ')} }`,
  );
  const last = `fragment F4 on __Type { ${'...Z '.repeat(4800)} } fragment Z on __Type { name }`;
  const query = `{ __schema { queryType { ...F0 } } } ${levels.join(' ')} ${last}`;
  expect(await refusalOf(bench, query)).toBe('OPERATION_TOO_LARGE');
});

test('an introspection answer is limited in bytes', async () => {
  const bench = await open({ env: { MAX_ANSWER_BYTES: '1000000' } });
  const names = Array.from({ length: 1000 }, (_, i) => `b${i}: description`).join(' ');
  const query = `{ __schema { types { fields { ${names} } } } }`;
  expect(await refusalOf(bench, query)).toBe('OPERATION_TOO_LARGE');
  expect(await refusalOf(bench, `{ a: __schema { types { fields { name } } } }`)).toBeUndefined();
});

test('absurdly deep variables are too large', async () => {
  const bench = await open();
  const query = 'query ($a: [CurrencyPair!]) { fxRates(filter: { pairs: $a }) { totalCount } }';
  const nested = (depth: number): unknown => {
    let value: unknown = [];
    for (let i = 0; i < depth; i += 1) value = [value];
    return value;
  };
  expect(await refusalOf(bench, query, { a: nested(5000) })).toBe('OPERATION_TOO_LARGE');
  expect(await refusalOf(bench, query, { a: nested(50) })).toBe('BAD_USER_INPUT');
});

test('processor time is limited even if only plain fields are resolved', async () => {
  const { get } = await open();
  const { macroCatalog } = await get<{ macroCatalog: { nodes: { id: string }[] } }>(
    '{ macroCatalog(first: 500) { nodes { id } } }',
  );
  const known = macroCatalog.nodes.map(({ id }) => id);
  const ids = Array.from({ length: 300 }, (_, i) => known[i % known.length]);
  const bench = await open({ env: { MAX_PROCESSOR_MS_PER_OPERATION: '100' } });
  const aliases = Array.from({ length: 800 }, (_, i) => `a${i}: frequency`).join(' ');
  const query = `query ($i: [ID!]!) { nodes(ids: $i) { ... on MacroSeries { ${aliases} } } }`;
  expect(await refusalOf(bench, query, { i: ids })).toBe('OPERATION_TOO_LARGE');
});

test('a wrong argument costs its own field and no other, whatever is in the cache', async () => {
  const { ask } = await open();
  const query = `query ($c: ConvertCurrency = EUR) {
    cryptoAssets(first: 1) { nodes { symbol priceIn(convert: $c) } } }`;
  for (let i = 0; i < 2; i += 1) {
    const { data, errors } = await ask(query, { c: null });
    expect(data).toEqual({ cryptoAssets: { nodes: [{ symbol: 'BTC', priceIn: null }] } });
    expect(errors).toMatchObject([
      {
        path: ['cryptoAssets', 'nodes', 0, 'priceIn'],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  }
});

test('too many errors in lists end their operation, and nothing else', async () => {
  const bench = await open({ env: { MAX_VALUES_PER_OPERATION: '300' } });
  const ids = Array.from({ length: 200 }, () => '"x"').join(', ');
  const lists = [0, 1, 2].map((i) => `n${i}: nodes(ids: [${ids}]) { id }`).join(' ');
  // An unhandled rejection would fail this test, and end a process.
  expect(await refusalOf(bench, `{ ${lists} }`)).toBe('OPERATION_TOO_LARGE');
  expect(await refusalOf(bench, '{ __typename }')).toBeUndefined();
});

test('a dry run gives errors a code, too', async () => {
  const { send } = await open();
  const headers = { 'content-type': 'application/json', 'x-usage-dry-run': '1' };
  const query = 'query ($b: Boolean = true) { fxRates @include(if: $b) { totalCount } }';
  const body = JSON.stringify({ query, variables: { b: null } });
  const { errors } = await send({ method: 'POST', headers, body });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
});

test('a null condition makes the data null', async () => {
  const { ask } = await open();
  const query = 'query ($b: Boolean = true) { fxRates @include(if: $b) { totalCount } }';
  const { data, errors } = await ask(query, { b: null });
  expect(data).toBe(null);
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
});

test('a frequency is derived from the values beside it, however long the operation takes', async () => {
  const { get } = await open({
    env: {
      MAX_UPSTREAM_REQUESTS_PER_OPERATION: '100',
      MAX_PROCESSOR_MS_PER_OPERATION: '60000',
      OPERATION_TIMEOUT_MS: '60000',
    },
  });
  const names = Array.from({ length: 3100 }, (_, i) => `n${i}: name`).join(' ');
  const { macroCatalog } = await get<{
    macroCatalog: { nodes: { frequency: string | null; observations: { points: object[] } }[] };
  }>(`{ macroCatalog(first: 40) { nodes {
    ${names} frequency observations(last: 12) { points { date } } } } }`);
  for (const { frequency, observations } of macroCatalog.nodes)
    expect(frequency !== null).toBe(observations.points.length > 1);
});

test('a refused subscription is not a 2xx if data should be in the answer', async () => {
  const { url } = await open();
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream;q=0.9, application/graphql-response+json',
  };
  const body = JSON.stringify({ query: 'subscription { fxRatesUpdated(pairs: []) { mid } }' });
  const reply = await fetch(url, { method: 'POST', headers, body });
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
  });
});
