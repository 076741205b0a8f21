import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { digestOf, newKey } from '../../src/clients/keys.ts';
import { readConfig } from '../../src/config.ts';
import { listen } from '../../src/transport/node.ts';
import { temporaryFolder } from '../harness.ts';

/** The examples, run unchanged, each against its own gateway whose clients have keys. */

const ROOT = new URL('../../', import.meta.url);
const MANIFEST = 'src/operations/generated/apollo-manifest.json';
const LISTED = { PERSISTED_DOCUMENTS: fileURLToPath(new URL(MANIFEST, ROOT)) };

const BY_HASH = { method: 'GET', names: ['extensions', 'operationName', 'variables'] };
const WITH_TEXT = [...BY_HASH.names, 'query'].toSorted();

/** Key of the only client: without a key nothing is served. */
const KEY = newKey();

function clientsFile(): string {
  const path = join(temporaryFolder(), 'clients.json');
  const keys = [`sha256:${digestOf(KEY)}`];
  writeFileSync(path, JSON.stringify({ clients: [{ name: 'example', keys }] }));
  return path;
}

interface Arrival {
  method: string | undefined;
  /** What its URL contains: the text of the operation, its id, or neither. */
  names: string[];
}

async function startGateway(env: Record<string, string>) {
  const app = await createApp(readConfig({ SANDBOX: '1', LOG_LEVEL: 'silent', ...env }));
  const arrivals: Arrival[] = [];
  const handler: typeof app.handler = (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    arrivals.push({ method: request.method, names: [...searchParams.keys()].toSorted() });
    app.handler(request, response);
  };
  const server = await listen({ ...app, handler }, '127.0.0.1', 0);
  onTestFinished(async () => {
    await app.close();
    await server.close(1000);
  });
  return { url: `${server.url}/graphql`, arrivals };
}

async function run(command: string, file: string, env: Record<string, string>, key = KEY) {
  const { url, arrivals } = await startGateway({ CLIENTS_FILE: clientsFile(), ...env });
  const variables = { ...process.env, MARKETGRAPH_URL: url, MARKETGRAPH_KEY: key };
  const options = { cwd: fileURLToPath(ROOT), env: variables, timeout: 120_000 };
  const { stdout } = await promisify(execFile)(command, [`examples/${file}`], options);
  return { stdout, arrivals };
}

test('Apollo Client registers a query once, then asks by its hash, and gets live updates', async () => {
  const { stdout, arrivals } = await run(process.execPath, 'apollo-client.ts', {});
  expect(stdout).toMatch(/^registered \[ 'USDTRY \d+\.\d+', 'EURTRY \d+\.\d+' \]$/m);
  expect(stdout).toMatch(/^by hash \[ 'USDTRY \d+\.\d+', 'EURTRY \d+\.\d+' \]$/m);
  expect(stdout).toMatch(/^live \[ 'BTC [\d.]+', 'ETH [\d.]+' \]$/m);
  expect(arrivals).toEqual([BY_HASH, { method: 'POST', names: [] }, BY_HASH]);
});

test('Apollo Client has nothing to register if the manifest is listed', async () => {
  const { stdout, arrivals } = await run(process.execPath, 'apollo-client.ts', LISTED);
  expect(stdout).toMatch(/^by hash \[ 'USDTRY/m);
  expect(arrivals).toEqual([BY_HASH, BY_HASH]);
});

test('urql asks by the id of the manifest, registers what is not listed, and gets live updates', async () => {
  const { stdout, arrivals } = await run(process.execPath, 'urql.ts', LISTED);
  expect(stdout).toMatch(/^by id \{[^}]*pair: 'USDTRY'/m);
  expect(stdout).toMatch(/^registered \d+(\.\d+)?$/m);
  expect(stdout).toMatch(/^live \[ \{ id: 'FxRate:USDTRY', pair: 'USDTRY', mid: \d+\.\d+ \} \]$/m);
  expect(arrivals).toEqual([BY_HASH, BY_HASH, { method: 'GET', names: WITH_TEXT }]);
});

test('curl gets an answer, a persisted answer, its 304, an estimate, and live updates', async () => {
  const { stdout, arrivals } = await run('sh', 'curl.sh', LISTED);
  const [, query, persisted, price, live] = stdout.split(/^# .*\n/m);
  expect(query).toMatch(/^\{"data":\{"fxRate":\{"pair":"USDTRY","mid":[\d.]+\}\}/);
  expect(persisted?.trim()).toBe('304');
  expect(price).toMatch(/"estimate":\{"least":\{"fx":0,"macro":0,"credits":1\}/);
  expect(live).toMatch(/^event: next\ndata: \{"data":\{"cryptoAssetsUpdated":\[\{"price":[\d.]+/m);
  const names = arrivals.map((arrival) => arrival.names.join());
  expect(names).toEqual(['', 'documentId', 'documentId', '', 'query']);
});

test('Relay gets an answer and live updates', async () => {
  const { stdout, arrivals } = await run(process.execPath, 'relay.ts', {});
  expect(stdout).toMatch(/^query \[ \{[^}]*pair: 'USDTRY'/m);
  expect(stdout).toMatch(/^live \[ \{[^}]*symbol: 'BTC'/m);
  expect(arrivals).toEqual([{ method: 'POST', names: [] }]);
});

test('graphql-ws gets an answer and live updates', async () => {
  const { stdout, arrivals } = await run(process.execPath, 'graphql-ws.ts', {});
  expect(stdout).toMatch(/^query \d+(\.\d+)?$/m);
  expect(stdout).toMatch(/^live \[ \{ pair: 'USDTRY', mid: \d+\.\d+ \} \]$/m);
  expect(arrivals).toEqual([]);
});

test('graphql-sse gets live updates', async () => {
  const { stdout, arrivals } = await run(process.execPath, 'graphql-sse.ts', {});
  expect(stdout).toMatch(/^live \[ \{ pair: 'USDTRY', mid: \d+\.\d+ \} \]$/m);
  expect(arrivals).toEqual([{ method: 'POST', names: [] }]);
});

test('an example needs no key if clients have no names', async () => {
  const { stdout } = await run(process.execPath, 'graphql-ws.ts', { CLIENTS_FILE: '' }, '');
  expect(stdout).toMatch(/^live /m);
});

/** Each client reports it in its own way, and at once. Without graphql-sse: it retries for half a minute first. */
test.each([
  ['apollo-client.ts', /Send the key of a client|status code 401/],
  ['urql.ts', /Send the key of a client/],
  ['relay.ts', /Send the key of a client/],
  ['graphql-ws.ts', /^The key is wrong/],
])('%s is told of a wrong key', async (file, expectedOutput) => {
  const ended = run(process.execPath, file, {}, 'mg_wrong').then(
    ({ stdout }) => stdout,
    (error: { stderr: string; stdout: string }) => error.stdout + error.stderr,
  );
  expect(await ended).toMatch(expectedOutput);
});
