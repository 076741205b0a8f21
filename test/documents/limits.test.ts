import { InMemoryCache } from '@apollo/client';
import { formatDocument } from '@urql/core';
import { type DocumentNode, getIntrospectionQuery, parse, print } from 'graphql';
import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Short texts that ask for more than fits into any memory are refused, and cost nothing. */

const many = (count: number, name: string, field: string) =>
  Array.from({ length: count }, (_, i) => `${name}${i}: ${field}`).join(' ');

/** Lists under aliases under lists. */
const nested = (count: number) => `{ ${many(count, 'a', 'calendarEvents { ...C }')} }
  fragment C on CalendarEventConnection { ${many(count, 'b', 'nodes { ...E }')} }
  fragment E on CalendarEvent { ${many(count, 'c', 'fxRates { ...F }')} }
  fragment F on FxRate { ${many(count, 'd', 'buying')} }`;

test.each([
  ['aliases under lists under aliases', nested(10)],
  ['the same thirty times each', nested(30)],
  [
    'a long page of many fields',
    `{ cryptoAssets(first: 500) { nodes { ${many(2001, 'p', 'price')} } } }`,
  ],
  [
    'last values of many',
    `{ fxRate(pair: "USDTRY") { ${many(60, 'h', 'history(last: 9000) { points { date value } }')} } }`,
  ],
  [
    'too many fields',
    `{ ${many(101, 'a', 'health { ...H }')} }
    fragment H on UpstreamHealth { ${many(100, 's', 'status')} }`,
  ],
  [
    'too many fields, in several operations',
    `query Small { __typename } fragment R on Query { ${many(90, 'a', 'health { ...H }')} }
    fragment H on UpstreamHealth { ${many(60, 's', 'status')} }
    query A { ...R } query B { ...R }`,
    'Small',
  ],
])('%s', async (_what, query, operationName?: string) => {
  const { send, sandbox } = await open();
  const body = JSON.stringify({ query, operationName });
  const headers = { 'content-type': 'application/json' };
  const { data, errors } = await send({ method: 'POST', headers, body });
  expect(data).toBeUndefined();
  expect(errors).toMatchObject([{ extensions: { code: 'OPERATION_TOO_LARGE' } }]);
  expect(errors[0]?.message).toContain('asks for more than');
  expect(sandbox.requests()).toEqual([]);
});

test('a document with too many operations is refused', async () => {
  const { ask } = await open();
  const operations = (count: number) =>
    Array.from({ length: count }, (_, i) => `query Q${i} { __typename }`).join(' ');
  const { errors } = await ask(operations(51));
  expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
  expect(errors[0]?.message).toContain('more than 50 operations');
  expect((await ask(operations(1))).errors).toEqual([]);
});

test.each([
  ['the usual introspection query', getIntrospectionQuery()],
  ['the same aliases with short lists', nested(3)],
  [
    'a join of events, their rates and the history of each',
    `query ($n: Int = 3) { calendarEvents(first: $n, filter: { currencies: [USD] }) {
      nodes { event fxRates(quote: "TRY") { pair history { points { date value } } } } } }`,
  ],
  [
    'a few points of many values',
    `{ fxRate(pair: "USDTRY") { ${many(60, 'h', 'history(last: 9000) { points(maxPoints: 9) { date value } }')} } }`,
  ],
  ['fields that are merged', `{ ${'cryptoAssets(first: 500) { nodes { price } } '.repeat(200)} }`],
])('%s is served', async (_what, query) => {
  const { ask } = await open();
  expect((await ask(query)).errors).toEqual([]);
});

const FULL = {
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};

test.each<[client: string, sentBy: (document: DocumentNode) => DocumentNode]>([
  ['Apollo Client', (document) => new InMemoryCache().transformDocument(document)],
  ['urql', formatDocument],
])('introspection by %s, which adds the names of types, is served', async (_client, sentBy) => {
  const { ask } = await open();
  for (const query of [getIntrospectionQuery(), getIntrospectionQuery(FULL)])
    expect((await ask(print(sentBy(parse(query))))).errors).toEqual([]);
});
