import { describe, expect, test } from 'vitest';
import { apq, DATA, ID, MODES, open, search } from './gateway.ts';

/** wire-formats.md section 2. */

const unknown = 'f'.repeat(64);

const PLACES: { row: string; parameters: (id: string) => Record<string, unknown> }[] = [
  { row: 'documentId', parameters: (id) => ({ documentId: id }) },
  { row: 'extensions.persistedQuery.sha256Hash with version 1', parameters: (id) => apq(id) },
  { row: 'doc_id (Relay documentation habit)', parameters: (id) => ({ doc_id: id }) },
  { row: 'documentID (metaphysics-era Relay)', parameters: (id) => ({ documentID: id }) },
  { row: 'id (metaphysics-era Relay)', parameters: (id) => ({ id }) },
];

describe.each(MODES)('$mode the id arrives as', ({ env }) => {
  test.each(PLACES)('$row in the body of a POST', async ({ parameters }) => {
    const { post } = await open({ env });
    expect(await post(parameters(ID))).toMatchObject({ status: 200, data: DATA });
    const skipping = { ...parameters(ID), operationName: 'Listed', variables: { skip: true } };
    expect((await post(skipping)).data).toEqual({ __typename: 'Query' });
    expect(await post({ ...parameters(ID), query: null })).toMatchObject({ data: DATA });
    expect(await post({ ...parameters(ID), query: '' })).toMatchObject({ data: DATA });
  });

  test.each(PLACES)('$row in the query string of a GET', async ({ parameters }) => {
    const { get } = await open({ env });
    expect(await get(`/graphql${search(parameters(ID))}`)).toMatchObject({ data: DATA });
    const skipping = { ...parameters(ID), operationName: 'Listed', variables: { skip: true } };
    expect((await get(`/graphql${search(skipping)}`)).data).toEqual({ __typename: 'Query' });
  });

  test('/graphql/<documentId>[/<operationName>], GET and POST', async () => {
    const { get, post } = await open({ env });
    for (const path of ['', '/', '/Listed', '/Listed/']) {
      expect(await get(`/graphql/${ID}${path}`)).toMatchObject({ status: 200, data: DATA });
      expect(await post({}, `/graphql/${ID}${path}`)).toMatchObject({ status: 200, data: DATA });
    }
    const variables = { skip: true };
    const got = await get(`/graphql/sha256:${ID}/Listed${search({ variables })}`);
    expect(got.data).toEqual({ __typename: 'Query' });
    const posted = await post({ variables }, `/graphql/sha256%3A${ID}`);
    expect(posted.data).toEqual({ __typename: 'Query' });
    expect(await get(`/graphql/${ID}/Other`)).toMatchObject({
      status: 200,
      code: 'OPERATION_RESOLUTION_FAILURE',
    });
  });

  test('in that order: the first one counts', async () => {
    const { post } = await open({ env });
    const all = { ...apq(unknown), doc_id: unknown, documentID: unknown, id: unknown };
    expect(await post({ ...all, documentId: ID }, `/graphql/${unknown}`)).toMatchObject({
      data: DATA,
    });
    expect(await post({ ...all, ...apq(ID) })).toMatchObject({ data: DATA });
    expect(await post({ id: unknown, doc_id: ID })).toMatchObject({ data: DATA });
    expect(await post({ id: unknown, documentID: ID })).toMatchObject({ data: DATA });
    expect(await post({ id: ID }, `/graphql/${unknown}`)).toMatchObject({ data: DATA });
  });

  test('anything but a text: BAD_REQUEST', async () => {
    const { post } = await open({ env });
    const wrong = { status: 400, code: 'BAD_REQUEST' };
    // Such a request is not a GraphQL request: the status is the same in every media type.
    for (const accept of ['application/graphql-response+json', 'application/json']) {
      for (const body of [{ documentId: 5 }, { doc_id: {} }, { id: [ID] }])
        expect(await post(body, '/graphql', { accept })).toMatchObject(wrong);
      for (const persistedQuery of ['x', { version: 1 }, { version: 1, sha256Hash: 5 }])
        expect(
          await post({ extensions: { persistedQuery } }, '/graphql', { accept }),
        ).toMatchObject(wrong);
    }
  });

  test('a longer path, or one that is not an id: 404 or a well-formed refusal', async () => {
    const { url, get } = await open({ env });
    expect((await fetch(`${url}/graphql/a/b/c`)).status).toBe(404);
    expect((await fetch(`${url}/other/${ID}`)).status).toBe(404);
    expect(await get('/graphql/%E0%A4%A')).toMatchObject({ code: 'PERSISTED_QUERY_NOT_IN_LIST' });
  });

  test.each([
    { row: 'documentId', body: { documentId: ID }, path: '/graphql' },
    { row: 'doc_id', body: { doc_id: ID }, path: '/graphql' },
    { row: 'the path', body: {}, path: `/graphql/${ID}` },
  ])('$row and body together: CANNOT_SEND_PQ_ID_AND_BODY, 400', async ({ body, path }) => {
    const { post } = await open({ env });
    expect(await post({ ...body, query: '{ __typename }' }, path)).toMatchObject({
      status: 400,
      code: 'CANNOT_SEND_PQ_ID_AND_BODY',
      data: undefined,
    });
  });
});

test('unknown parameters are ignored', async () => {
  const { post } = await open();
  expect(await post({ documentId: ID, nonsense: 1 })).toMatchObject({ status: 200, data: DATA });
});

test('an empty id beside a text is ignored', async () => {
  const { post } = await open();
  expect(await post({ id: '', documentId: null, query: '{ __typename }' })).toMatchObject({
    data: { __typename: 'Query' },
  });
});
