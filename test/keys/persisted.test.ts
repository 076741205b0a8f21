import { expect, test } from 'vitest';
import { sha256 } from '../../src/documents/ids.ts';
import { temporaryFolder } from '../harness.ts';
import { apq, search, write } from '../persisted/gateway.ts';
import { type Keys, openKeys } from './clients.ts';

/** What a client may ask if its key is for listed operations only. */

const LISTED = 'query Listed { fxRates { nodes { pair } } }';
const ID = sha256(LISTED);
const OTHER = 'query Other { __typename }';
const HASH = sha256(OTHER);

const CLIENTS = [{ name: 'mobile', persistedOnly: true }, { name: 'web' }];

async function openListed() {
  const manifest = write(temporaryFolder(), 'manifest.json', { [ID]: LISTED });
  return openKeys(CLIENTS, { env: { PERSISTED_DOCUMENTS: manifest } });
}

/** Sends a body; returns the code of the error, if any. */
async function post({ bench, headersOf }: Keys, client: string, body: object) {
  const headers = { 'content-type': 'application/json', ...headersOf(client) };
  const { errors } = await bench.send({ method: 'POST', headers, body: JSON.stringify(body) });
  return errors[0]?.extensions.code;
}

async function get({ bench, headersOf }: Keys, client: string, parameters: object, path = '') {
  const headers = { ...headersOf(client), 'graphql-require-preflight': '1' };
  const { errors, headers: sent } = await bench.send({ headers }, path + search({ ...parameters }));
  return { code: errors[0]?.extensions.code, caching: sent.get('cache-control') };
}

test('a listed operation is served by its id, however that arrives', async () => {
  const keys = await openListed();
  const served = { code: undefined, caching: expect.stringMatching(/^private, max-age=\d+$/) };
  expect(await get(keys, 'mobile', {}, `/${ID}`)).toEqual(served);
  expect(await get(keys, 'mobile', { documentId: ID })).toEqual(served);
  expect(await get(keys, 'mobile', apq(ID))).toEqual(served);
  for (const body of [{ documentId: ID }, { doc_id: ID }, apq(ID), { query: LISTED }])
    expect(await post(keys, 'mobile', body)).toBe(undefined);
  expect(keys.bench.sandbox.requests()).toHaveLength(1);
});

test('a text that is not listed is refused, even with its hash: nothing is registered', async () => {
  const keys = await openListed();
  expect(await post(keys, 'mobile', { query: OTHER })).toBe('PERSISTED_QUERY_ID_REQUIRED');
  const registering = { query: OTHER, ...apq(HASH) };
  expect(await post(keys, 'mobile', registering)).toBe('PERSISTED_QUERY_NOT_SUPPORTED');
  expect((await get(keys, 'mobile', registering)).code).toBe('PERSISTED_QUERY_NOT_SUPPORTED');
  expect(await post(keys, 'web', apq(HASH))).toBe('PERSISTED_QUERY_NOT_FOUND');
});

test('what another client has registered is not served, by hash or by id', async () => {
  const keys = await openListed();
  expect(await post(keys, 'web', { query: OTHER, ...apq(HASH) })).toBe(undefined);
  for (const body of [apq(HASH), { documentId: HASH }]) {
    expect(await post(keys, 'web', body)).toBe(undefined);
    expect(await post(keys, 'mobile', body)).toBe('PERSISTED_QUERY_NOT_IN_LIST');
  }
  expect((await get(keys, 'web', {}, `/${HASH}`)).code).toBe(undefined);
  expect((await get(keys, 'mobile', {}, `/${HASH}`)).code).toBe('PERSISTED_QUERY_NOT_IN_LIST');
});

test('an id does not replace a key', async () => {
  const { bench } = await openListed();
  for (const init of [{}, { headers: { authorization: 'Bearer mg_wrong' } }])
    expect((await fetch(`${bench.url}/${ID}`, init)).status).toBe(401);
  expect(bench.sandbox.requests()).toEqual([]);
});
