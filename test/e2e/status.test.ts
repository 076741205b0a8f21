import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Status codes in GraphQL's own media type (GraphQL over HTTP, its released and its draft text). */

const QUERY = 'query Q($pair: CurrencyPair!) { fxRate(pair: $pair) { mid } }';
const DAYS = 'query ($d: Date) { fxRate(pair: "USDTRY") { history(start: $d) { start } } }';
const body = (query: string, variables?: object) => JSON.stringify({ query, variables });

const within = (before: string, inner: string, after: string) =>
  before.repeat(4000) + inner + after.repeat(4000);
const spreads = Array.from({ length: 600 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} }`);

const CASES: [what: string, body: string, draft: number][] = [
  ['JSON that cannot be read', '{', 400],
  ['a document that cannot be read', JSON.stringify({ query: '{' }), 400],
  ['a parameter of the wrong type', JSON.stringify({ query: 5 }), 422],
  ['a document that does not fit the schema', JSON.stringify({ query: '{ nothing }' }), 422],
  ['an unknown operation', JSON.stringify({ query: '{ __typename }', operationName: 'X' }), 422],
  ['variables that are missing', JSON.stringify({ query: QUERY }), 422],
  ['a pair of the wrong type', body(QUERY, { pair: 1 }), 422],
  ['a day of the wrong type', body(DAYS, { d: 1 }), 422],
  ['fields too deep', body(`{ ${within('a {', 'a', '}')} }`), 400],
  ['lists too deep', body(`{ fxRates(filter: ${within('[', '', ']')}) { totalCount } }`), 400],
  ['objects too deep', body(`{ fxRates(filter: ${within('{a:', '1', '}')}) { id } }`), 400],
  ['inline fragments too deep', body(`{ ${within('... {', '__typename', '}')} }`), 400],
  ['fragments too deep', body(`{ ...F0 } ${spreads.join()} fragment F600 on Query { id }`), 400],
  ['an operation that runs', JSON.stringify({ query: '{ __typename }' }), 200],
];

const headers = {
  'content-type': 'application/json',
  accept: 'application/graphql-response+json',
};

test.each(CASES)('%s: 400 by default, by the draft what it says', async (_what, text, draft) => {
  const released = await open();
  const { status } = await released.send({ method: 'POST', headers, body: text });
  expect(status).toBe(draft === 200 ? 200 : 400);
  const { send } = await released.another({ HTTP_STATUS_422: '1' });
  const reply = await send({ method: 'POST', headers, body: text });
  expect(reply.status).toBe(draft);
  expect(reply.errors.length > 0).toBe(draft !== 200);
  expect(released.log()).not.toContain('unexpected error');
});

test('a document that is as deep as any that somebody writes is served', async () => {
  const { get } = await open();
  const deep = '... { '.repeat(99) + '__typename' + ' }'.repeat(99);
  expect(await get(`{ ${deep} }`)).toEqual({ __typename: 'Query' });
});
