import { describe, expect, test } from 'vitest';
import { ALLOW_LIST, DATA, ID, MODES, open, QUERY, search } from './gateway.ts';

/** wire-formats.md section 5, as far as it is about persisted operations and status codes. */

const JSON_TYPE = { accept: 'application/json' };
const RESPONSE_TYPE = { accept: 'application/graphql-response+json' };

describe.each(MODES)('$mode', ({ env }) => {
  test('sha256:<64 lower hex> over the UTF-8 source text; no colon = custom, 32 hex too', async () => {
    const md5 = '0123456789abcdef0123456789abcdef';
    const files = { 'm.json': { [`sha256:${ID}`]: QUERY, [md5]: QUERY, 'x-own:Listed': QUERY } };
    const { post } = await open({ files, env });
    for (const documentId of [`sha256:${ID}`, ID, md5, 'x-own:Listed'])
      expect(await post({ documentId })).toMatchObject({ data: DATA });
  });

  test('parameters in order documentId, operationName, variables, extensions; compact JSON', async () => {
    const { get } = await open({ env });
    const path = `/graphql?documentId=sha256%3A${ID}&operationName=Listed&variables=%7B%22skip%22%3Atrue%7D&extensions=%7B%7D`;
    expect((await get(path)).data).toEqual({ __typename: 'Query' });
  });

  test('unknown id = a well-formed response with one error', async () => {
    const { get } = await open({ env });
    const path = `/graphql?documentId=${'0'.repeat(64)}`;
    const old = await get(path, JSON_TYPE);
    expect(old.errors).toHaveLength(1);
    expect(old).toMatchObject({ status: 200, data: undefined });
    expect(await get(path, RESPONSE_TYPE)).toMatchObject({ status: 400, data: undefined });
  });

  test('Accept missing or */*', async () => {
    const { get, post } = await open({ env });
    for (const accept of ['*/*', '']) {
      expect(await get(`/graphql/${ID}`, { accept })).toMatchObject({ status: 200, data: DATA });
      expect(await post({ documentId: ID }, '/graphql', { accept })).toMatchObject({ status: 200 });
    }
  });

  test('batching off: 400', async () => {
    const { post } = await open({ env });
    expect(await post([{ documentId: ID }, { documentId: ID }])).toMatchObject({ status: 400 });
  });

  test('bad variables of a listed operation: 400, but 200 for application/json', async () => {
    const { post } = await open({ env });
    const body = { documentId: ID, variables: { skip: 'nonsense' } };
    expect(await post(body, '/graphql', JSON_TYPE)).toMatchObject({ status: 200 });
    expect(await post(body, '/graphql', RESPONSE_TYPE)).toMatchObject({
      status: 400,
      code: 'BAD_USER_INPUT',
    });
  });

  test('parameters of a GET that are not JSON make the request malformed: 400', async () => {
    const { get } = await open({ env });
    for (const name of ['variables', 'extensions']) {
      const path = `/graphql${search({ documentId: ID, [name]: '{' })}`;
      const refused = { code: 'BAD_REQUEST', message: `The parameter "${name}" is not JSON.` };
      for (const accept of [RESPONSE_TYPE, JSON_TYPE])
        expect(await get(path, accept)).toMatchObject({ status: 400, ...refused });
    }
  });

  test('a path with more than an id and a name: 404', async () => {
    const { get } = await open({ files: { 'm.json': { [ID]: QUERY } }, env });
    expect(await get(`/graphql/${ID}/Listed`)).toMatchObject({ status: 200, data: DATA });
    expect(await get(`/graphql/${ID}/Listed/more`)).toMatchObject({ status: 404 });
  });

  test('methods other than GET and POST: 405, in the path form as well', async () => {
    const { url } = await open({ env });
    for (const path of ['/graphql', `/graphql/${ID}`]) {
      const response = await fetch(url + path, { method: 'PUT', body: '{}' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
    }
  });
});

test.each([
  ['an unparsable document', 'query {'],
  ['a failed validation', '{ nothingOfTheKind }'],
  ['two operations and no name', 'query A { __typename } query B { __typename }'],
])('%s: 400, but application/json stays 200', async (_what, query) => {
  const { get, post } = await open();
  const path = `/graphql${search({ query })}`;
  expect(await post({ query }, '/graphql', RESPONSE_TYPE)).toMatchObject({ status: 400 });
  expect(await get(path, RESPONSE_TYPE)).toMatchObject({ status: 400 });
  expect(await post({ query }, '/graphql', JSON_TYPE)).toMatchObject({ status: 200 });
  expect(await get(path, JSON_TYPE)).toMatchObject({ status: 200 });
});

test('a mutation over GET = 405', async () => {
  const { get } = await open();
  for (const accept of [JSON_TYPE, RESPONSE_TYPE])
    expect(await get(`/graphql${search({ query: 'mutation { x }' })}`, accept)).toMatchObject({
      status: 405,
    });
});

test("the gateway's own refusals are 400 in either media type", async () => {
  const { post } = await open({ env: ALLOW_LIST });
  for (const accept of [JSON_TYPE, RESPONSE_TYPE])
    expect(await post({ query: '{ __typename }' }, '/graphql', accept)).toMatchObject({
      status: 400,
    });
});
