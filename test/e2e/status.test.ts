import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Status codes in GraphQL's own media type (GraphQL over HTTP): 400 for what is not executed. */

const QUERY = 'query Q($pair: CurrencyPair!) { fxRate(pair: $pair) { mid } }';
const DAYS = 'query ($d: Date) { fxRate(pair: "USDTRY") { history(start: $d) { start } } }';
const body = (query: string, variables?: object) => JSON.stringify({ query, variables });

const within = (before: string, inner: string, after: string) =>
  before.repeat(4000) + inner + after.repeat(4000);
const spreads = Array.from({ length: 600 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} }`);

const REFUSED: [what: string, body: string][] = [
  ['JSON that cannot be read', '{'],
  ['a document that cannot be read', JSON.stringify({ query: '{' })],
  ['a parameter of the wrong type', JSON.stringify({ query: 5 })],
  ['a document that does not fit the schema', JSON.stringify({ query: '{ nothing }' })],
  ['an unknown operation', JSON.stringify({ query: '{ __typename }', operationName: 'X' })],
  ['variables that are missing', JSON.stringify({ query: QUERY })],
  ['a pair of the wrong type', body(QUERY, { pair: 1 })],
  ['a day of the wrong type', body(DAYS, { d: 1 })],
  ['fields too deep', body(`{ ${within('a {', 'a', '}')} }`)],
  ['lists too deep', body(`{ fxRates(filter: ${within('[', '', ']')}) { totalCount } }`)],
  ['objects too deep', body(`{ fxRates(filter: ${within('{a:', '1', '}')}) { id } }`)],
  ['inline fragments too deep', body(`{ ${within('... {', '__typename', '}')} }`)],
  ['fragments too deep', body(`{ ...F0 } ${spreads.join()} fragment F600 on Query { id }`)],
];

const headers = {
  'content-type': 'application/json',
  accept: 'application/graphql-response+json',
};

test.each(REFUSED)('%s: 400', async (_what, text) => {
  const { send, log } = await open();
  const reply = await send({ method: 'POST', headers, body: text });
  expect(reply.status).toBe(400);
  expect(reply.errors.length).toBeGreaterThan(0);
  expect(log()).not.toContain('unexpected error');
});

test('an operation that runs: 200', async () => {
  const { send } = await open();
  const reply = await send({ method: 'POST', headers, body: body('{ __typename }') });
  expect([reply.status, reply.errors]).toEqual([200, []]);
});

test('a document as deep as any that people write is served', async () => {
  const { get } = await open();
  const deep = '... { '.repeat(99) + '__typename' + ' }'.repeat(99);
  expect(await get(`{ ${deep} }`)).toEqual({ __typename: 'Query' });
});
