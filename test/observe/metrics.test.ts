import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf, newKey } from '../../src/clients/keys.ts';
import { readConfig } from '../../src/config.ts';
import { METERS } from '../../src/meters.ts';
import { temporaryFolder } from '../harness.ts';
import { sendRaw } from '../transport/raw.ts';
import { openAdmin, samplesOf, sum } from './admin.ts';

/** What monitoring reads: it agrees with the operations and the upstream. */

const RATES = 'query Rates { fxRates(first: 1) { nodes { pair } } }';

test('units and operations are those of the answers and of the upstream', async () => {
  const { ask, metrics } = await openAdmin();
  const used = { fx: 0, macro: 0, credits: 0 };
  const queries = [RATES, RATES, '{ cryptoAssets(first: 1) { nodes { symbol } } }', '{ nothing }'];
  for (const query of queries) {
    const { extensions } = await ask(query);
    for (const meter of METERS) used[meter] += extensions.usage[meter].used;
  }
  const samples = await metrics();
  for (const meter of METERS) {
    expect(sum(samples, 'marketgraph_units_total', { meter })).toBe(used[meter]);
    expect(sum(samples, 'marketgraph_meter_used_units', { meter })).toBe(used[meter]);
  }
  const operation = (name: string, cache: string, status: string) =>
    sum(samples, 'marketgraph_operations_total', { operation: name, client: '', cache, status });
  expect([
    operation('Rates', 'miss', 'ok'),
    operation('Rates', 'kept', 'ok'),
    operation('', 'miss', 'ok'),
    operation('', 'none', 'refused'),
  ]).toEqual([1, 1, 1, 1]);
  expect(sum(samples, 'marketgraph_operations_total')).toBe(queries.length);
});

test("nothing remains if the configured limit is used up, however large the upstream's balance is", async () => {
  const { ask, metrics, sandbox } = await openAdmin({ CREDITS_MONTHLY_LIMIT: '2' });
  const remaining = async () => sum(await metrics(), 'marketgraph_meter_remaining_units');
  for (const [convert, left] of [
    ['USD', 1],
    ['TRY', 0],
  ]) {
    await ask(`{ cryptoAssets(first: 1, convert: ${convert}) { nodes { symbol } } }`);
    expect(await remaining()).toBe(left);
  }
  expect(sandbox.spent().credits).toBe(2);
});

test('a kept answer that clients get in turn is counted for each of them', async () => {
  const keys = { web: newKey(), app: newKey() };
  const clients = Object.entries(keys).map(([name, key]) => ({
    name,
    keys: [`sha256:${digestOf(key)}`],
  }));
  const CLIENTS_FILE = join(temporaryFolder(), 'clients.json');
  writeFileSync(CLIENTS_FILE, JSON.stringify({ clients }));
  const { ask, metrics } = await openAdmin({ CLIENTS_FILE });
  const askAs = (key: string) => ask(RATES, { 'x-api-key': key });
  await askAs(keys.web);
  for (const key of [keys.app, keys.web, keys.app, keys.app, keys.web]) await askAs(key);
  const samples = await metrics();
  const kept = (client: string) =>
    sum(samples, 'marketgraph_operations_total', { client, cache: 'kept' });
  expect([kept('web'), kept('app')]).toEqual([2, 3]);
});

test('thousands of names do not make thousands of metrics', async () => {
  const { ask, metrics } = await openAdmin();
  for (let i = 0; i < 1500; i += 1) await ask(`query Name${i} { __typename }`);
  const samples = await metrics();
  const operations = samplesOf(samples, 'marketgraph_operations_total');
  expect(operations.length).toBeLessThanOrEqual(501);
  expect(sum(samples, 'marketgraph_operations_total', { operation: '(other)' })).toBe(1000);
});

test('bytes of texts in memory: each text counts once, within the limit', async () => {
  const { ask, send, post, metrics } = await openAdmin();
  const bytes = async (kind: string) =>
    sum(await metrics(), 'marketgraph_documents_bytes', { kind });
  const empty = await bytes('parsed');
  await ask('{ __typename }');
  const one = await bytes('parsed');
  await ask('{ __typename }');
  expect(one).toBeGreaterThan(empty);
  expect([await bytes('parsed'), await bytes('registered')]).toEqual([one, 0]);
  const query = '{ a: __typename }';
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  await send(post({ query, extensions: { persistedQuery: { version: 1, sha256Hash } } }));
  expect(await bytes('registered')).toBeGreaterThan(query.length);
  const long = '#'.repeat(200_000);
  const MIB = 2 ** 20;
  for (let i = 0; i < 8; i += 1) await ask(`{ __typename } ${long}${i}`);
  expect(await bytes('parsed')).toBeLessThanOrEqual(8 * MIB);
  for (let i = 0; i < 8; i += 1)
    await send(post({ query: `{ __typename } ${long}${i}`, variables: { again: true } }));
  expect(await bytes('parsed')).toBeGreaterThan(32 * MIB);
  expect(await bytes('parsed')).toBeLessThanOrEqual(64 * MIB);
});

test('a token is required if one is set, except for health checks', async () => {
  const { get } = await openAdmin({ ADMIN_TOKEN: 'a-token' });
  expect((await get('/metrics')).status).toBe(401);
  expect((await get('/metrics', { headers: { authorization: 'Bearer another' } })).status).toBe(
    401,
  );
  const headers = { authorization: 'Bearer a-token' };
  expect((await get('/metrics', { headers })).status).toBe(200);
  expect([(await get('/health')).status, (await get('/ready')).status]).toEqual([200, 200]);
});

test('pages of other sites get nothing', async () => {
  const { get } = await openAdmin();
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of foreign) {
    const response = await get('/metrics', { headers });
    expect([response.status, await response.text()]).toEqual([403, 'Forbidden\n']);
  }
});

const OK = expect.stringMatching(/^HTTP\/1.1 200 /);
const NOT_SERVED = expect.stringMatching(/^HTTP\/1.1 403 [^]*text\/plain[^]*ALLOWED_HOSTS\.\n$/);

test.for([
  [{}, ['localhost'], ['api.example', 'evil.example']],
  [
    { ALLOWED_HOSTS: 'api.example' },
    ['localhost', '127.0.0.1:4001', 'api.example'],
    ['evil.example'],
  ],
  [{ ALLOWED_HOSTS: '*' }, ['127.0.0.1', 'any.example'], []],
  // A probe or a scrape that uses a container's address.
  [
    { ALLOWED_HOSTS: 'api.example', ADMIN_HOST: '0.0.0.0', ADMIN_TOKEN: 'a' },
    ['10.0.0.7:4001'],
    [],
  ],
] as const)('host names that the listener serves, with %o', async ([env, served, others]) => {
  const { url } = await openAdmin(env);
  const askAs = (host: string) =>
    sendRaw(url, ['GET /health HTTP/1.1', `host: ${host}`, 'connection: close']);
  for (const host of served) expect([host, await askAs(host)]).toEqual([host, OK]);
  for (const host of others) expect([host, await askAs(host)]).toEqual([host, NOT_SERVED]);
});

test('methods other than GET and HEAD are told which are allowed', async () => {
  const { get } = await openAdmin();
  const { status, headers } = await get('/metrics', { method: 'POST' });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('ADMIN_PORT=0: there is no listener', async () => {
  const { app } = await openAdmin({ ADMIN_PORT: '0' });
  expect(app.admin).toBeUndefined();
});

test('a host that others can reach needs a token', () => {
  expect(() => readConfig({ SANDBOX: '1', ADMIN_HOST: '0.0.0.0' })).toThrow(/^ADMIN_TOKEN: /);
});
