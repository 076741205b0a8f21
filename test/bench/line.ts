import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import pino from 'pino';
import { Pool } from 'undici';
import type { createApp as CreateApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { spendOfTrace } from './trace-units.ts';
import { learningFor, type LineQuestion, NOW, questions } from './line-questions.ts';

/**
 * How long a question takes over a slow line if a gateway with an empty cache is asked, compared with asking
 * the upstream itself; and how many units the market page's trace costs over lines of different speeds.
 *
 *   npm run bench:line               this version
 *   npm run bench:line -- FOLDER     another version, in a folder
 */

const [folder = '.'] = process.argv.slice(2);
const { href } = pathToFileURL(resolve(folder, 'src/app.ts'));
const { createApp } = (await import(href)) as { createApp: typeof CreateApp };

const LATENCY_MS = 30;
const LINES = [
  { name: '1 MB/s', bytesPerSecond: 1_000_000, rounds: 5 },
  { name: '25 kB/s', bytesPerSecond: 25_000, rounds: 1 },
];
const TRACE_LINES = [
  { name: 'at once' },
  { name: '5 MB/s, 50 ms', bytesPerSecond: 5_000_000, latencyMs: 50 },
  { name: '2 MB/s, 60 ms', bytesPerSecond: 2_000_000, latencyMs: 60 },
  { name: '1 MB/s, 30 ms', bytesPerSecond: 1_000_000, latencyMs: 30 },
];
const TARGET = { times: 1.5, ms: 20 };

const print = (line: string) => void process.stdout.write(`${line}\n`);
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

interface Asked {
  ms: number;
  units: number;
  failure: string;
}

async function timed(sandbox: Sandbox, ask: () => Promise<string>): Promise<Asked> {
  const units = () => Object.values(sandbox.spent()).reduce((sum, one) => sum + one, 0);
  const [before, start] = [units(), performance.now()];
  const failure = await ask();
  return { ms: performance.now() - start, units: units() - before, failure };
}

/** Asks the upstream over a connection that is already open. */
async function askDirectly(sandbox: Sandbox, { direct }: LineQuestion): Promise<Asked> {
  const { groupA, groupB } = sandbox;
  const { origin, pathname } = new URL({ A: groupA, B: groupB }[direct.group].url);
  const headers = { 'x-api-key': groupA.key, authorization: `apikey ${groupB.key}` };
  const pool = new Pool(origin);
  await (await pool.request({ method: 'GET', path: '/a/health' })).body.text();
  const asked = await timed(sandbox, async () => {
    const path = pathname + direct.path;
    const { body, statusCode } = await pool.request({ method: 'GET', path, headers });
    await body.json();
    return statusCode === 200 ? '' : String(statusCode);
  });
  await pool.close();
  return asked;
}

/** Asks a new gateway, after the queries in `before`. */
async function askGateway(
  sandbox: Sandbox,
  query: string,
  before: readonly string[],
): Promise<Asked> {
  const { groupA, groupB } = sandbox;
  const folderOfData = await mkdtemp(join(tmpdir(), 'marketgraph-'));
  const access = { GROUP_A_URL: groupA.url, GROUP_A_KEY: groupA.key };
  const more = { GROUP_B_URL: groupB.url, GROUP_B_KEY: groupB.key, DATA_DIR: folderOfData };
  const clocks = { now: () => NOW, monotonic: () => performance.now() };
  const log = pino({ level: 'silent' });
  const app = await createApp(readConfig({ ...access, ...more }), { ...clocks, log });
  const ask = async (text: string): Promise<string> => {
    const body = JSON.stringify({ query: text });
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const request = new Request('http://gateway/graphql', { method: 'POST', headers, body });
    const reply = await (await app.fetch(request)).text();
    return /"code":"(\w+)"/.exec(reply)?.[1] ?? '';
  };
  for (const text of before) await ask(text);
  const asked = await timed(sandbox, () => ask(query));
  await app.close();
  await rm(folderOfData, { recursive: true });
  return asked;
}

const ratioOf = (direct: number, gateway: number) => (gateway / direct).toFixed(2);
const isHeld = (direct: number, gateway: number) => gateway <= direct * TARGET.times + TARGET.ms;

function cells(direct: Asked, all: readonly Asked[]): string {
  const ms = median(all.map((one) => one.ms));
  const failure = all.find((one) => one.failure)?.failure ?? '';
  const units = Math.max(...all.map((one) => one.units));
  const mark = failure || (isHeld(direct.ms, ms) ? '' : 'late');
  return `${ms.toFixed(0).padStart(7)}${ratioOf(direct.ms, ms).padStart(7)}${String(units).padStart(6)} ${mark.padEnd(17)}`;
}

async function repeat(rounds: number, ask: () => Promise<Asked>): Promise<Asked[]> {
  const all: Asked[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await ask());
  return all;
}

const sandbox = await startSandbox({ now: () => NOW, latencyMs: LATENCY_MS });
// Warms up the code before anything is timed.
for (const question of questions) await askGateway(sandbox, question.query, learningFor(question));

print(`gateway: as its first question, and after others, when it knows the line
late: more than ${TARGET.times} times the direct call plus ${TARGET.ms} ms`);
for (const { name, bytesPerSecond, rounds } of LINES) {
  print(`\n${name}, ${LATENCY_MS} ms`.padEnd(46) + 'direct ms   first  ratio units');
  sandbox.set({ bytesPerSecond });
  for (const question of questions) {
    const { before, query } = question;
    const earlierRuns = before ? [before] : [];
    const asked = await repeat(rounds, () => askDirectly(sandbox, question));
    const direct = { ...asked[0]!, ms: median(asked.map(({ ms }) => ms)) };
    const first = await repeat(rounds, () => askGateway(sandbox, query, earlierRuns));
    const learning = learningFor(question);
    const known = await repeat(rounds, () =>
      askGateway(sandbox, query, [...learning, ...earlierRuns]),
    );
    print(
      `${question.name.padEnd(45)}${direct.ms.toFixed(0).padStart(9)} ${cells(direct, first)}${cells(direct, known)}`,
    );
  }
}
await sandbox.close();

if (folder === '.') {
  print("\nunits of the market page's trace, 5000 operations");
  for (const { name, ...line } of TRACE_LINES)
    print(`${name.padEnd(45)}${String(await spendOfTrace({ line })).padStart(9)}`);
}
