import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { listen } from '../../src/transport/node.ts';

/**
 * Which source files an operation passes through on its way to the upstream and back: those with a function
 * that runs meanwhile, by V8's own coverage. Each way is measured several times, each time in a gateway that
 * has served nothing yet; functions that do not run each time belong to timers that fired in between.
 */

const ROUNDS = 3;
const IS_COMPILED = process.argv.includes('--compiled');
const FOLDER = mkdtempSync(join(tmpdir(), 'marketgraph-ways-'));
const SRC = new URL('../../src/', import.meta.url).href;
const MANIFEST = fileURLToPath(
  new URL('../../src/operations/generated/persisted-documents.json', import.meta.url),
);

/** Sends one operation to a gateway, and reads the answer. */
type Send = (url: string) => Promise<unknown>;

const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json' };

async function post(url: string, query: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ query });
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body,
  });
  return response.text();
}

async function getListed(url: string, name: string) {
  const listed = Object.entries<string>(JSON.parse(readFileSync(MANIFEST, 'utf8')));
  const [id] = listed.find(([, text]) => text.includes(`query ${name}`)) ?? [];
  const response = await fetch(`${url}/${id}`, { headers: { accept: 'application/json' } });
  return response.text();
}

async function firstEvent(url: string, query: string) {
  const leaving = new AbortController();
  const headers = { ...JSON_TYPE, accept: 'text/event-stream' };
  const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
  const { body } = await fetch(url, { ...init, signal: leaving.signal });
  for await (const chunk of body!.pipeThrough(new TextDecoderStream()))
    if (chunk.includes('data:')) break;
  leaving.abort();
}

/** By the heading under which docs/architecture.md lists their files. */
const WAYS: Readonly<Record<string, Send>> = {
  'A plain query': (url) => post(url, '{ fxRates(first: 3) { nodes { pair buying } } }'),
  'A persisted GET': (url) => getListed(url, 'Rates'),
  'A subscription': (url) =>
    firstEvent(url, 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair buying } }'),
  'A dry run': (url) =>
    post(url, '{ macroSeries(code: "TP.DK.USD.A") { observations { change } } }', {
      'x-usage-dry-run': '1',
    }),
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Returns the files below src with a function that has run since the last call, without the sandbox's. */
async function ranSince(): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
  );
  const ours = ran.map(({ url }) => url).filter((url) => url.startsWith(SRC));
  return new Set(ours.map((url) => url.slice(SRC.length)).filter((f) => !f.startsWith('sandbox/')));
}

async function measureOnce(send: Send): Promise<Set<string>> {
  const sandbox = await startSandbox();
  const { groupA, groupB } = sandbox;
  const upstream = {
    GROUP_A_URL: groupA.url,
    GROUP_A_KEY: groupA.key,
    GROUP_B_URL: groupB.url,
    GROUP_B_KEY: groupB.key,
  };
  // A sandbox may get a port that another one had: answers of that one must not be cached.
  const folder = mkdtempSync(join(FOLDER, 'round-'));
  const own = { DATA_DIR: folder, PERSISTED_DOCUMENTS: MANIFEST, LOG_LEVEL: 'silent' };
  const app = await createApp(readConfig({ ...upstream, ...own }), {
    compile: IS_COMPILED,
  });
  const server = await listen(app, '127.0.0.1', 0);
  // The listener itself, and what its first use creates, belongs to no operation.
  await fetch(`${server.url}/health`).then((response) => response.text());
  await ranSince();
  await send(`${server.url}/graphql`);
  const ran = await ranSince();
  await server.close(0);
  await app.close();
  await sandbox.close();
  return ran;
}

async function measure(send: Send): Promise<string[]> {
  let always: Set<string> | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const ran = await measureOnce(send);
    always = always?.intersection(ran) ?? ran;
  }
  return [...(always ?? [])].toSorted();
}

/** Prints the files of each way, as JSON; `--compiled`: with the compiler of selections, which is an option. */
const ways: Record<string, string[]> = {};
for (const [name, send] of Object.entries(WAYS)) ways[name] = await measure(send);
process.stdout.write(`${JSON.stringify(ways, null, 2)}\n`);
rmSync(FOLDER, { recursive: true });
process.exit(0);
