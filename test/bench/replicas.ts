import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { dayAt } from '../../src/time.ts';
import { type RunningGateway, startGateway, startUpstream } from '../attacks/processes.ts';
import { createDraw } from './economy-random.ts';
import { marketOf, openSandbox } from './economy-replay.ts';
import { createTrace, type Visit } from './economy-trace.ts';

/**
 * What several replicas spend on the trace of `bench:economy` where each operation goes to any of them,
 * with shared state and without; and how they answer a herd. Real processes, and a real clock that
 * is faster: times to live and the trace are a fifth of what they are there.
 *
 *   npm run bench:replicas
 */

const OPERATIONS = 5000;
const SPEED = 5;
const DURATION_MS = 125_000 / SPEED;
const REPLICAS = [1, 2, 4, 8];
const MOST_OVER_ONE = 1.05;
const HERD = { replicas: 4, each: 100, latencyMs: 200, mostMs: 50 };

const ttl = (seconds: number) => String(seconds / SPEED);
const TIMES_TO_LIVE = {
  TTL_FX_RATES: ttl(30),
  TTL_CRYPTO: ttl(30),
  TTL_FX_HISTORY: ttl(300),
  TTL_MACRO_SERIES: ttl(300),
  TTL_MACRO_CATALOG: ttl(300),
  TTL_LEGISLATION: ttl(300),
  TTL_CALENDAR: ttl(300),
  TTL_SETTLED_DAYS: ttl(300),
};

/** A machine that stands still for a while is no error. */
const PATIENT = { UPSTREAM_TIMEOUT_MS: '30000', OPERATION_TIMEOUT_MS: '60000' };

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** As light as can be: it runs beside what it measures. */
const agent = new Agent({ keepAlive: true });
const headers = { 'content-type': 'application/json', accept: 'application/json' };

async function ask({ url }: RunningGateway, query: string): Promise<string> {
  const sent = request(`${url}/graphql`, { method: 'POST', agent, headers });
  sent.end(JSON.stringify({ query }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (answer.includes('"errors":')) throw new Error(`${query}\n${answer.slice(0, 500)}`);
  return answer;
}

type Env = Record<string, string>;

/** Gateways over one upstream, each in a folder of its own or all in one. */
async function withReplicas<T>(
  { count, isShared, latencyMs = 0 }: { count: number; isShared: boolean; latencyMs?: number },
  task: (gateways: RunningGateway[], requests: () => Promise<number>) => Promise<T>,
): Promise<T> {
  const folders: string[] = [];
  const folder = () => folders[folders.push(mkdtempSync(join(tmpdir(), 'marketgraph-'))) - 1]!;
  const upstream = await startUpstream({ latencyMs });
  const common = isShared ? folder() : undefined;
  const start = (): Promise<RunningGateway> => {
    const own: Env = { DATA_DIR: common ?? folder(), ...PATIENT, ...TIMES_TO_LIVE };
    return startGateway({ ...upstream.access, ...own });
  };
  const gateways = await Promise.all(Array.from({ length: count }, start));
  const requests = async () => {
    const all = Object.values((await upstream.count()).requests);
    return all.reduce((sum, one) => sum + one, 0);
  };
  try {
    return await task(gateways, requests);
  } finally {
    for (const { end } of gateways) await end();
    await upstream.end();
    for (const one of folders) rmSync(one, { recursive: true, force: true });
  }
}

/** Units that the trace takes, each operation at one of the gateways at random. */
function spend(visits: readonly Visit[], count: number, isShared: boolean): Promise<number> {
  return withReplicas({ count, isShared }, async (gateways, requests) => {
    const draw = createDraw(count);
    const began = performance.now();
    const asked: Promise<string>[] = [];
    for (const { at, questions } of visits) {
      const wait = began + at / SPEED - performance.now();
      if (wait > 0) await sleep(wait);
      const query = `{ ${questions.map(({ field }, i) => `q${i}: ${field}`).join(' ')} }`;
      asked.push(ask(gateways[draw.whole(count)]!, query));
    }
    await Promise.all(asked);
    return requests();
  });
}

/** Many equal cold questions on several gateways: the requests, and how much later the last one is answered. */
function herd(): Promise<{ requests: number; lastMs: number }> {
  const { replicas: count, each, latencyMs } = HERD;
  return withReplicas({ count, isShared: true, latencyMs }, async (gateways, requests) => {
    const all = async (query: string) => {
      const before = await requests();
      const times: number[] = [];
      const one = (gateway: RunningGateway) =>
        ask(gateway, query).then(() => times.push(performance.now()));
      const those = (gateway: RunningGateway) => Array.from({ length: each }, () => one(gateway));
      await Promise.all(gateways.flatMap(those));
      const lastMs = Math.max(...times) - Math.min(...times);
      return { requests: (await requests()) - before, lastMs };
    };
    // Processes that have just begun run code that is not compiled yet.
    for (const currency of ['EUR', 'TRY'])
      await all(`{ cryptoAssets(first: 20, convert: ${currency}) { nodes { symbol price } } }`);
    return all('{ cryptoAssets(first: 20) { nodes { symbol price } } }');
  });
}

const sandbox = await openSandbox(Date.now);
const market = { ...marketOf(sandbox), today: dayAt(Date.now(), 'Europe/Istanbul') };
await sandbox.close();
const visits = createTrace(market, OPERATIONS, DURATION_MS * SPEED);

print(`${OPERATIONS} operations in ${DURATION_MS / 1000} s, units`);
print('replicas    shared   of one process    not shared');
let alone = 0;
let isMissed = false;
for (const count of REPLICAS) {
  const shared = await spend(visits, count, true);
  const unshared = count === 1 ? shared : await spend(visits, count, false);
  alone ||= shared;
  const share = shared / alone;
  isMissed ||= share > MOST_OVER_ONE;
  print(
    `${String(count).padStart(8)}${String(shared).padStart(10)}${share.toFixed(2).padStart(17)}${String(unshared).padStart(14)}`,
  );
}
print(`at most ${MOST_OVER_ONE} of one process`);

const { requests: sent, lastMs } = await herd();
print(`a herd of ${HERD.each} on each of ${HERD.replicas}: ${sent} request(s), the last answered`);
print(`  ${lastMs.toFixed(0)} ms after the first (at most ${HERD.mostMs})`);
isMissed ||= sent !== 1 || lastMs > HERD.mostMs;
if (isMissed) process.exitCode = 1;
