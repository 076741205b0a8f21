import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RunningGateway, startGateway, startUpstream } from '../attacks/processes.ts';
import { runValkey, SERVER_PROGRAM } from '../valkey.ts';
import { median } from './speed-hot.ts';

/**
 * What a restart costs: a gateway that has answered the market page is killed and started again, and is asked
 * for the page once more. Its first answer is compared with later ones for the same page, each with a different
 * text, so that no kept whole answer serves them. With answers kept in a file, and on a Valkey or Redis server
 * if one is installed.
 *
 *   npm run bench:restart
 */

const ROUNDS = 10;
/** How many requests warm up the process, after which nothing becomes faster, and how many are measured. */
const REQUESTS = { before: 20, measured: 40 };
const MAX_DELAY_MS = 5;

/** Longer than the defaults: on a slow machine a round takes longer than those. */
const TIMES_TO_LIVE = { TTL_FX_RATES: '900', TTL_CRYPTO: '900' };

const page = readFileSync(new URL('../../src/operations/market-page.graphql', import.meta.url));
const headers = { 'content-type': 'application/json', accept: 'application/json' };
const print = (line: string) => void process.stdout.write(`${line}\n`);
const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(11);

let asked = 0;

/** Asks over a new connection, as for the first answer after a start. */
async function ask({ url }: RunningGateway): Promise<number> {
  const startedAt = performance.now();
  const sent = request(`${url}/graphql`, { method: 'POST', agent: false, headers });
  sent.end(JSON.stringify({ query: `${String(page)}# ${(asked += 1)}` }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (answer.includes('"errors":')) throw new Error(answer.slice(0, 500));
  return performance.now() - startedAt;
}

async function askTimes(gateway: RunningGateway, times: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < times; i += 1) all.push(await ask(gateway));
  return all;
}

const requestsAt = async (upstream: Awaited<ReturnType<typeof startUpstream>>) => {
  const { requests: byPath } = await upstream.count();
  return Object.values(byPath).reduce((sum, one) => sum + one, 0);
};

type Env = Record<string, string>;

/** Restarts with the settings of one place. Returns how much later first answers came, and the upstream requests. */
async function restart(place: Env): Promise<{ delays: number[]; spent: number }> {
  const upstream = await startUpstream();
  const env = { ...upstream.access, ...TIMES_TO_LIVE, ...place };
  let gateway = await startGateway(env);
  await askTimes(gateway, REQUESTS.before);
  const before = await requestsAt(upstream);
  const delays: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await gateway.end();
    const startedAt = performance.now();
    gateway = await startGateway(env);
    const start = performance.now() - startedAt;
    const first = await ask(gateway);
    await askTimes(gateway, REQUESTS.before);
    const warm = median(await askTimes(gateway, REQUESTS.measured));
    delays.push(first - warm);
    print([start, first, warm, first - warm].map(ms).join(''));
  }
  const spent = (await requestsAt(upstream)) - before;
  await gateway.end();
  await upstream.end();
  return { delays, spent };
}

async function printRestarts(name: string, place: Env): Promise<void> {
  print(`${name}\n      start      first       warm      later`);
  const { delays, spent } = await restart(place);
  const typical = median(delays);
  print(`first answer later than a warm one: ${ms(typical)}, at worst ${ms(Math.max(...delays))}`);
  print(`upstream requests: ${spent}`);
  if (spent > 0 || typical > MAX_DELAY_MS) process.exitCode = 1;
}

const folder = mkdtempSync(join(tmpdir(), 'marketgraph-'));
await printRestarts('answers in a file', { DATA_DIR: folder });
if (SERVER_PROGRAM) {
  const server = await runValkey(folder);
  await printRestarts('answers on a server', { DATA_DIR: folder, SHARED_URL: server.url });
  await server.kill();
}
rmSync(folder, { recursive: true, force: true });
