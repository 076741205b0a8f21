import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { openSocket } from '../live/socket.ts';
import { connect } from '../transport/raw-socket.ts';
import { ALLOW_LIST, apq, DATA, ID, open, QUERY, search } from './gateway.ts';

/** wire-formats.md section 4: PERSISTED_ONLY=1. */

const unknown = 'f'.repeat(64);

test('PERSISTED_QUERY_ID_REQUIRED (400) for free text', async () => {
  const { get, post } = await open({ env: ALLOW_LIST });
  const refused = { status: 400, code: 'PERSISTED_QUERY_ID_REQUIRED', data: undefined };
  for (const query of ['{ __typename }', `${QUERY} `, 'query {']) {
    expect(await post({ query })).toMatchObject(refused);
    expect(await get(`/graphql${search({ query })}`)).toMatchObject(refused);
  }
  expect(await post({})).toMatchObject(refused);
});

test('PERSISTED_QUERY_ID_REQUIRED as the only event of a stream, if events are asked for', async () => {
  const { url } = await open({ env: ALLOW_LIST });
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const body = JSON.stringify({ query: '{ __typename }' });
  const reply = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, headers.accept]);
  expect(await reply.text()).toMatch(
    /^:\n\nevent: next\ndata: .*PERSISTED_QUERY_ID_REQUIRED.*\n\nevent: complete/s,
  );
});

/** Such bodies hold nothing but a text. */
const textBodies = (query: string): [type: string, body: string][] => [
  ['application/graphql', query],
  ['application/x-www-form-urlencoded', String(new URLSearchParams({ query }))],
];

test('a text that is listed passes, however it is sent; any other does not', async () => {
  const { url, get, post } = await open({ env: ALLOW_LIST });
  expect(await post({ query: QUERY })).toMatchObject({ data: DATA });
  expect(await get(`/graphql${search({ query: QUERY })}`)).toMatchObject({ data: DATA });
  const answers = async (query: string) =>
    Promise.all(
      textBodies(query).map(async ([type, body]) => {
        const headers = { 'content-type': type };
        return (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).text();
      }),
    );
  for (const answer of await answers(QUERY)) expect(answer).toContain('"other":"Query"');
  for (const answer of await answers('{ __typename }'))
    expect(answer).toContain('PERSISTED_QUERY_ID_REQUIRED');
});

test("over WebSocket a listed text passes, and a client's own one if the client states its name", async () => {
  const own = 'query Own { __typename }';
  const manifest = {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [
      { id: 'own', body: own, name: 'Own', type: 'query', clientName: 'phone' },
      { id: 'all', body: QUERY, name: 'Listed', type: 'query' },
    ],
  };
  const { url } = await open({ files: { 'm.json': manifest }, env: ALLOW_LIST });
  const ask = (query: string, init?: Record<string, unknown>, headers?: Record<string, string>) => {
    const socket = openSocket(`${url}/graphql`, headers, init);
    const subscriber = socket.subscribe(query);
    return subscriber.ended.then((errors) => errors ?? subscriber.events[0]?.data);
  };
  const refused = [{ extensions: { code: 'PERSISTED_QUERY_ID_REQUIRED' } }];
  expect(await ask(QUERY)).toEqual(DATA);
  expect(await ask('{ __typename }')).toMatchObject(refused);
  expect(await ask(own)).toMatchObject(refused);
  expect(await ask(own, { 'apollographql-client-name': 'tablet' })).toMatchObject(refused);
  const name = { 'apollographql-client-name': 'phone' };
  expect(await ask(own, name)).toEqual({ __typename: 'Query' });
  expect(await ask(own, undefined, name)).toEqual({ __typename: 'Query' });
});

test('PERSISTED_QUERY_NOT_IN_LIST for an unknown id, wherever it arrives', async () => {
  const { get, post } = await open({ env: ALLOW_LIST });
  const answers = [
    await post({ documentId: unknown }),
    await post({ doc_id: unknown }),
    await post(apq(unknown)),
    await get(`/graphql/${unknown}`),
    await get(`/graphql${search(apq(unknown))}`),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({ code: 'PERSISTED_QUERY_NOT_IN_LIST', data: undefined });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});

test('never the message PersistedQueryNotFound, so that no client resends the full text', async () => {
  const { post } = await open({ env: ALLOW_LIST });
  const bodies = [apq(unknown), { ...apq(unknown), query: QUERY }, { documentId: unknown }, {}];
  for (const body of bodies) {
    const { message, code } = await post(body);
    expect(message?.toLowerCase()).not.toBe('persistedquerynotfound');
    expect(code).not.toBe('PERSISTED_QUERY_NOT_FOUND');
  }
});

test('an unknown id is NOT_IN_LIST with free text allowed too, unless it came as APQ', async () => {
  const { post, get } = await open();
  expect(await post({ documentId: unknown })).toMatchObject({
    code: 'PERSISTED_QUERY_NOT_IN_LIST',
  });
  expect(await get(`/graphql/${unknown}`)).toMatchObject({ code: 'PERSISTED_QUERY_NOT_IN_LIST' });
});

test('introspection is off, unless a listed operation itself asks for it', async () => {
  const query = getIntrospectionQuery();
  const closed = await open({ env: ALLOW_LIST });
  expect(await closed.post({ query })).toMatchObject({ code: 'PERSISTED_QUERY_ID_REQUIRED' });
  const open2 = await open({ files: { 'm.json': { all: query } }, env: ALLOW_LIST });
  expect(await open2.post({ documentId: 'all' })).toMatchObject({
    data: { __schema: { queryType: { name: 'Query' } } },
  });
});

test('the Studio is off', async () => {
  const { url } = await open({ env: ALLOW_LIST });
  for (const path of ['/graphql', `/graphql/${ID}`]) {
    const response = await fetch(url + path, { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-type') ?? '').not.toContain('text/html');
  }
});

test('without any manifest nothing is served, and the log says why', async () => {
  const { post, log } = await open({ files: {}, env: ALLOW_LIST });
  expect(await post({ documentId: ID })).toMatchObject({ code: 'PERSISTED_QUERY_NOT_IN_LIST' });
  expect(log()).toContain('PERSISTED_DOCUMENTS names no file');
});

test('listed operations run side by side with free text if that is allowed', async () => {
  const { post } = await open();
  expect(await post({ documentId: ID })).toMatchObject({ data: DATA });
  expect(await post({ query: QUERY })).toMatchObject({ data: DATA });
  expect(await post({ query: QUERY, ...apq(sha256(QUERY)) })).toMatchObject({ data: DATA });
});

test.for(['apollographql-client-name', 'clientName'])(
  'over a WebSocket, %s in the first message names the client that an operation is for',
  async (field) => {
    const own = { id: 'x', body: '{ own: __typename }', clientName: 'ios' };
    const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations: [own] };
    const { url } = await open({ files: { 'm.json': manifest }, env: ALLOW_LIST });
    const ios = await connect(`${url}/graphql`, {}, { [field]: 'ios' });
    ios.ask('1', own.body);
    await expect
      .poll(() => ios.of('next'))
      .toMatchObject([{ payload: { data: { own: 'Query' } } }]);
    const web = await connect(`${url}/graphql`, {}, { [field]: 'web' });
    web.ask('1', own.body);
    await expect.poll(() => web.of('error')).toHaveLength(1);
  },
);
