import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './speed-ask.ts';
import { median } from './speed-hot.ts';
import { drive, postOf } from './speed-load.ts';
import { list, type Operation, small } from './speed-operations.ts';
import { type Running, start, startSandbox } from './speed-processes.ts';
import { SOURCES, type Variables } from './speed-servers.ts';

/**
 * What it costs to be watched: hot answers of a gateway that counts and logs each of them, and of one that
 * is set up for traces, for each of a gateway that does nothing of it. Two at a time take turns.
 *
 *   npm run bench:eyes             ten minutes; needs a quiet machine
 *   npm run bench:eyes -- traces   only those whose name contains the word
 */

const PAIRS = 5;
const ROUNDS = 8;
const TURN_MS = 200;
/** Until all that an answer passes is compiled. */
const WARM_MS = 1000;
const FIRST_PORT = 24_100;

interface Contender {
  name: string;
  env: Variables;
  /** The most that an answer may cost, for each of a gateway that does nothing of it. */
  target?: number;
}

const BLIND = { ADMIN_PORT: '0', LOG_LEVEL: 'warn' };

/** Takes what is sent to it, and throws it away. */
async function startCollector() {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

const print = (line: string) => void process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'marketgraph-eyes-'));
const collector = await startCollector();
const traced = (sampler: string, argument = '1') => ({
  ...BLIND,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_TRACES_SAMPLER: sampler,
  OTEL_TRACES_SAMPLER_ARG: argument,
});
const CONTENDERS: readonly Contender[] = [
  { name: 'nothing', env: BLIND },
  { name: 'metrics alone', env: { LOG_LEVEL: 'warn' } },
  { name: 'metrics and a line for each operation', env: { LOG_LEVEL: 'info' }, target: 1.05 },
  { name: 'traces, always_off', env: traced('always_off'), target: 1.03 },
  { name: 'traces, parentbased_always_off', env: traced('parentbased_always_off'), target: 1.03 },
  { name: 'traces, one of a hundred', env: traced('traceidratio', '0.01') },
  { name: 'traces of all', env: traced('always_on') },
];

/** One that says nothing is up when it answers. */
async function startGateway(i: number, env: Variables): Promise<Running> {
  const ports = { PORT: String(FIRST_PORT + 2 * i), ADMIN_PORT: String(FIRST_PORT + 2 * i + 1) };
  const own = { ...access, ...ports, DATA_DIR: join(folder, String(i)), TTL_FX_RATES: '36000' };
  const variables = { ...own, TTL_CRYPTO: '36000', ...env };
  const running = await start([SOURCES], variables, /^/, join(folder, `${i}.log`));
  const url = `http://127.0.0.1:${ports.PORT}`;
  while (
    !(await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(50);
  return { ...running, url: `${url}/graphql` };
}

/** Processor time of an answer, in microseconds. */
async function turn({ url, cpuNanos }: Running, bytes: Buffer, ms = TURN_MS): Promise<number> {
  const end = performance.now() + ms;
  const before = cpuNanos();
  const load = { url, next: () => bytes };
  const { answers } = await drive(load, () => performance.now() >= end);
  return (cpuNanos() - before) / answers / 1000;
}

/** The median of what an answer of the second costs for each of the first, which has as many turns. */
async function compare(operation: Operation, pair: readonly [Running, Running]) {
  const requests = pair.map(({ url }) => postOf(url, operation));
  const cost = (i: 0 | 1, ms?: number) => turn(pair[i], requests[i]!, ms);
  for (const { url } of pair) await ask(url, operation);
  for (const i of [0, 1, 0, 1] as const) await cost(i, WARM_MS);
  const micros: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [a, b, c, d] = [await cost(0), await cost(1), await cost(1), await cost(0)];
    micros.push(b, c);
    ratios.push((b + c) / (a + d));
  }
  return { micros: median(micros), ratio: median(ratios) };
}

/** What an answer costs in a gateway of its own, over several pairs: each process is compiled in a way of its own. */
async function measure(operation: Operation, env: Variables) {
  const found: Awaited<ReturnType<typeof compare>>[] = [];
  for (let i = 0; i < PAIRS; i += 1) {
    const pair = [await startGateway(0, BLIND), await startGateway(1, env)] as const;
    found.push(await compare(operation, pair));
    for (const server of pair) await server.stop();
  }
  const ratios = found.map(({ ratio }) => ratio);
  const micros = median(found.map((one) => one.micros));
  return { micros, ratio: median(ratios), from: Math.min(...ratios), to: Math.max(...ratios) };
}

const { server: sandbox, access } = await startSandbox();
print('processor time of a hot answer, and for each of a gateway that nobody watches');
print('(the median of several pairs of processes, and the lowest and highest of them)');
const [, , only = ''] = process.argv;
for (const { name, env, target = Infinity } of CONTENDERS.filter((one) => one.name.includes(only)))
  for (const operation of [small, list]) {
    const { micros, ratio, from, to } = await measure(operation, env);
    if (ratio > target) process.exitCode = 1;
    const most = target === Infinity ? '' : `, at most ${target}${ratio > target ? ' MISSED' : ''}`;
    const range = `${from.toFixed(2)} to ${to.toFixed(2)}${most}`;
    const title = `  ${name}, ${operation.operationName}`;
    print(`${title}: ${micros.toFixed(1)} µs, ratio ${ratio.toFixed(3)} (${range})`);
  }
await sandbox.stop();
collector.close();
rmSync(folder, { recursive: true });
