import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Status codes in GraphQL's own media type (GraphQL over HTTP, its released and its draft text). */

const QUERY = 'query Q($pair: CurrencyPair!) { fxRate(pair: $pair) { mid } }';
const CASES: [what: string, body: string, draft: number][] = [
  ['JSON that cannot be read', '{', 400],
  ['a document that cannot be read', JSON.stringify({ query: '{' }), 400],
  ['a parameter of the wrong type', JSON.stringify({ query: 5 }), 422],
  ['a document that does not fit the schema', JSON.stringify({ query: '{ nothing }' }), 422],
  ['an unknown operation', JSON.stringify({ query: '{ __typename }', operationName: 'X' }), 422],
  ['variables that are missing', JSON.stringify({ query: QUERY }), 422],
  ['an operation that runs', JSON.stringify({ query: '{ __typename }' }), 200],
];

const headers = {
  'content-type': 'application/json',
  accept: 'application/graphql-response+json',
};

test.each(CASES)('%s: 400 by default, by the draft what it says', async (_what, body, draft) => {
  const released = await open();
  const { status } = await released.send({ method: 'POST', headers, body });
  expect(status).toBe(draft === 200 ? 200 : 400);
  const { send } = await released.another({ HTTP_STATUS_422: '1' });
  const reply = await send({ method: 'POST', headers, body });
  expect(reply.status).toBe(draft);
  expect(reply.errors.length > 0).toBe(draft !== 200);
});
