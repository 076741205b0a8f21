import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RunningGateway, startGateway, startUpstream } from '../attacks/processes.ts';
import { median } from './speed-hot.ts';

/**
 * What a restart costs: a gateway that has answered the market page is killed and started again, and is asked
 * for the page once more. Its first answer is compared with later ones of the same page, each under another
 * text, so that no whole answer that is kept serves them.
 *
 *   npm run bench:restart
 */

const ROUNDS = 10;
/** After so many texts nothing becomes faster. */
const WARM = { before: 20, measured: 40 };
const MOST_LATER_MS = 5;

/** A slow machine takes longer for a round than these are by default. */
const TIMES_TO_LIVE = { TTL_FX_RATES: '900', TTL_CRYPTO: '900' };

const page = readFileSync(new URL('../../src/operations/market-page.graphql', import.meta.url));
const headers = { 'content-type': 'application/json', accept: 'application/json' };
const print = (line: string) => void process.stdout.write(`${line}\n`);
const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(11);

let asked = 0;

/** Over a connection of its own, as the first answer is. */
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

const upstream = await startUpstream();
const folder = mkdtempSync(join(tmpdir(), 'marketgraph-'));
const env = { ...upstream.access, ...TIMES_TO_LIVE, DATA_DIR: folder };
const requests = async () => {
  const { requests: byPath } = await upstream.count();
  return Object.values(byPath).reduce((sum, one) => sum + one, 0);
};

let gateway = await startGateway(env);
await askTimes(gateway, WARM.before);
const before = await requests();
const times = { start: [] as number[], first: [] as number[], later: [] as number[] };
print('      start      first       warm      later');
for (let round = 0; round < ROUNDS; round += 1) {
  await gateway.end();
  const startedAt = performance.now();
  gateway = await startGateway(env);
  times.start.push(performance.now() - startedAt);
  const first = await ask(gateway);
  await askTimes(gateway, WARM.before);
  const warm = median(await askTimes(gateway, WARM.measured));
  times.first.push(first);
  times.later.push(first - warm);
  print([times.start.at(-1)!, first, warm, first - warm].map(ms).join(''));
}
const spent = (await requests()) - before;
await gateway.end();
await upstream.end();
rmSync(folder, { recursive: true, force: true });

const later = median(times.later);
print(`the start: ${ms(median(times.start))}, the first answer: ${ms(median(times.first))}`);
print(`later than a warm one: ${ms(later)}, at worst ${ms(Math.max(...times.later))}`);
print(`upstream requests: ${spent}`);
if (spent > 0 || later > MOST_LATER_MS) process.exitCode = 1;
