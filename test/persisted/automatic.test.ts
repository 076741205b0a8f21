import { expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { ALLOW_LIST, apq, ID, open, QUERY, search } from './gateway.ts';

/** wire-formats.md section 3: what Apollo's clients do, step by step. */

const NEW = 'query New { fresh: __typename }';
const HASH = sha256(NEW);
const HIT = { status: 200, data: { fresh: 'Query' }, errors: [] };

/** Changing any of these would break Apollo Kotlin or iOS. */
const MISS = { status: 200, message: 'PersistedQueryNotFound', code: 'PERSISTED_QUERY_NOT_FOUND' };

test.each(['application/json', 'application/graphql-response+json', '*/*'])(
  'miss: exact message and code, HTTP 200, Cache-Control of Apollo Server, accepting %s',
  async (accept) => {
    const { get, post } = await open();
    const answers = [
      await post(apq(HASH), '/graphql', { accept }),
      await get(`/graphql${search({ ...apq(HASH), variables: {} })}`, { accept }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ ...MISS, data: undefined });
      expect(answer.headers.get('cache-control')).toBe('private, no-cache, must-revalidate');
    }
  },
);

test('second leg: stores on match; from then on the hash is enough, in GET and POST', async () => {
  const { get, post } = await open();
  expect(await post(apq(HASH))).toMatchObject(MISS);
  expect(await post({ query: NEW, ...apq(HASH) })).toMatchObject(HIT);
  expect(await post(apq(HASH))).toMatchObject(HIT);
  expect(await get(`/graphql${search(apq(HASH))}`)).toMatchObject(HIT);
  expect(await post({ documentId: `sha256:${HASH}` })).toMatchObject(HIT);
  expect(await get(`/graphql/${HASH}`)).toMatchObject(HIT);
});

test('the whole exchange also works over GET', async () => {
  const { get } = await open();
  expect(await get(`/graphql${search({ query: NEW, ...apq(HASH) })}`)).toMatchObject(HIT);
  expect(await get(`/graphql${search(apq(HASH))}`)).toMatchObject(HIT);
});

test('GET only for queries: a mutation over GET is 405 and not stored', async () => {
  const { get, post } = await open();
  const query = 'mutation { anything }';
  const path = `/graphql${search({ query, ...apq(sha256(query)) })}`;
  const answer = await get(path);
  expect(answer).toMatchObject({ status: 405 });
  expect(answer.headers.get('allow')).toBe('POST');
  expect(await post(apq(sha256(query)))).toMatchObject(MISS);
});

test('the hash is that of the UTF-8 text', async () => {
  const { post } = await open();
  const query = '# ığüşöç €\nquery Türkçe_değil { __typename }'.replace('Türkçe_değil', 'Other');
  expect(await post({ query, ...apq(sha256(query)) })).toMatchObject({ status: 200, errors: [] });
  expect(await post(apq(sha256(query)))).toMatchObject({ data: { __typename: 'Query' } });
});

test('mismatch: HTTP 400 with a code, and nothing is stored', async () => {
  const { post } = await open();
  expect(await post({ query: `${NEW} `, ...apq(HASH) })).toMatchObject({
    status: 400,
    code: 'PERSISTED_QUERY_HASH_MISMATCH',
  });
  expect(await post(apq(HASH))).toMatchObject(MISS);
});

test('mismatch counts for listed ids too: no text can stand in for a listed one', async () => {
  const { post } = await open();
  expect(await post({ query: NEW, ...apq(ID) })).toMatchObject({ status: 400 });
  expect(await post({ query: QUERY, ...apq(ID) })).toMatchObject({ status: 200, errors: [] });
});

test('other version: 400', async () => {
  for (const env of [{}, ALLOW_LIST]) {
    const { post } = await open({ env });
    const refused = { status: 400, code: 'PERSISTED_QUERY_VERSION_NOT_SUPPORTED' };
    expect(await post(apq(ID, 2))).toMatchObject(refused);
    expect(await post({ query: NEW, ...apq(HASH, 2) })).toMatchObject(refused);
  }
});

test.each([
  ['that does not parse', 'query {', 'GRAPHQL_PARSE_FAILED'],
  ['that does not fit the schema', '{ nothingOfTheKind }', 'GRAPHQL_VALIDATION_FAILED'],
])(
  'validated before stored: a document %s gets its ordinary errors',
  async (_what, query, code) => {
    const { post } = await open();
    const ordinary = await post({ query });
    const registering = await post({ query, ...apq(sha256(query)) });
    expect(registering).toMatchObject({ code, status: ordinary.status, message: ordinary.message });
    expect(await post(apq(sha256(query)))).toMatchObject(MISS);
    // Validation results are cached by text: the second time must not store it either.
    await post({ query, ...apq(sha256(query)) });
    expect(await post(apq(sha256(query)))).toMatchObject(MISS);
  },
);

test('APQ off (allow-list): PersistedQueryNotSupported, 200, and nothing is stored', async () => {
  const { post } = await open({ env: ALLOW_LIST });
  expect(await post({ query: NEW, ...apq(HASH) })).toMatchObject({
    status: 200,
    message: 'PersistedQueryNotSupported',
    code: 'PERSISTED_QUERY_NOT_SUPPORTED',
    data: undefined,
  });
  expect(await post(apq(HASH))).toMatchObject({ code: 'PERSISTED_QUERY_NOT_IN_LIST' });
});
