import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { ALLOW_LIST, apq, DATA, ID, open, QUERY, search } from './gateway.ts';

/** wire-formats.md section 4: PERSISTED_ONLY=1. */

const unknown = 'f'.repeat(64);

test('PERSISTED_QUERY_ID_REQUIRED (400) for free text, even for a listed one', async () => {
  const { get, post } = await open({ env: ALLOW_LIST });
  const refused = { status: 400, code: 'PERSISTED_QUERY_ID_REQUIRED', data: undefined };
  for (const query of ['{ __typename }', QUERY, 'query {']) {
    expect(await post({ query })).toMatchObject(refused);
    expect(await get(`/graphql${search({ query })}`)).toMatchObject(refused);
  }
  expect(await post({})).toMatchObject(refused);
});

test('free text in a body of application/graphql is refused as well', async () => {
  const { url } = await open({ env: ALLOW_LIST });
  for (const type of ['application/graphql', 'application/x-www-form-urlencoded']) {
    const body =
      type === 'application/graphql' ? QUERY : String(new URLSearchParams({ query: QUERY }));
    const headers = { 'content-type': type };
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
    expect(await response.text()).toContain('PERSISTED_QUERY_ID_REQUIRED');
  }
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

test('GraphiQL is off', async () => {
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

test('listed operations run side by side with free text where that is allowed', async () => {
  const { post } = await open();
  expect(await post({ documentId: ID })).toMatchObject({ data: DATA });
  expect(await post({ query: QUERY })).toMatchObject({ data: DATA });
  expect(await post({ query: QUERY, ...apq(sha256(QUERY)) })).toMatchObject({ data: DATA });
});
