import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openEmbedded } from './embedded.ts';

/** Request bodies that another part of the server, such as a body parser, has read before the gateway. */

test.each([
  ['as an object', (body: string) => JSON.parse(body) as object],
  ['as a text', (body: string) => body],
  ['as bytes', (body: string) => Buffer.from(body)],
  ['as other bytes', (body: string) => new TextEncoder().encode(body)],
])('a body that another part has read is taken %s', async (_how, parsed) => {
  const url = await openEmbedded({}, (handler) => async (request, response) => {
    const body = parsed(await text(request));
    handler(Object.assign(request, { body }), response);
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const init = { method: 'POST', headers, body: '{"query":"{ __typename }"}' };
  const reply = await fetch(`${url}/graphql`, init);
  expect(await reply.json()).toMatchObject({ data: { __typename: 'Query' } });
});

const FORM = { query: 'query ($a: Int!) { fxRates(first: $a) { nodes { pair } } }' };

test.each([
  ['variables as text', { ...FORM, variables: '{"a":1}' }],
  ['variables as an object', { ...FORM, variables: { a: 1 } }],
])('a form that another part has read is taken, with %s', async (_how, body) => {
  const { status, reply } = await askAfterParser('query=…', body);
  expect([status, reply]).toMatchObject([200, { data: { fxRates: { nodes: [{}] } } }]);
});

test('JSON that another part has read as a form is refused as such', async () => {
  const json = '{"query":"{ __typename }"}';
  const { status, reply } = await askAfterParser(json, { [json]: '' });
  const message = expect.stringContaining('The body is JSON');
  expect([status, reply]).toMatchObject([400, { errors: [{ message }] }]);
});

test('a body that was read but not passed on is reported to the client as missing', async () => {
  const url = await openEmbedded({}, (handler) => async (request, response) => {
    await text(request);
    handler(request, response);
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const init = { method: 'POST', headers, body: '{"query":"{ __typename }"}' };
  const reply = await fetch(`${url}/graphql`, init);
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({
    errors: [{ message: expect.stringContaining('it may have consumed the body') }],
  });
});

test('a body that is too long is refused, as if the gateway had read it', async () => {
  const url = await openEmbedded({}, (handler) => async (request, response) => {
    await text(request);
    handler(Object.assign(request, { body: 'x'.repeat(2 * 1024 * 1024) }), response);
  });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  expect((await fetch(`${url}/graphql`, { method: 'POST', headers, body: '{}' })).status).toBe(413);
});

/** Sends a form to a server whose body parser leaves `parsed` on the request. */
async function askAfterParser(body: string, parsed: object) {
  const url = await openEmbedded({}, (handler) => async (request, response) => {
    await text(request);
    handler(Object.assign(request, { body: parsed }), response);
  });
  const type = 'application/x-www-form-urlencoded; charset=utf-8';
  const headers = { 'content-type': type, accept: 'application/json' };
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
  return { status: answer.status, reply: await answer.json() };
}
