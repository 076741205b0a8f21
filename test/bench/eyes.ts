import { mkdtempSync, rmSync, statSync } from 'node:fs';
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
 * is set up for traces, for each of a gateway that does nothing of it. They take turns, over one sandbox.
 *
 *   npm run bench:eyes       a minute
 */

const ROUNDS = 11;
const TURN_MS = 500;
const FIRST_PORT = 24_100;

interface Contender {
  name: string;
  env: Variables;
  /** The most that an answer may cost, for each of the first contender. */
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
  { name: 'nothing, once more', env: BLIND },
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
  const running = await start([SOURCES], variables, /^/, logOf(i));
  const url = `http://127.0.0.1:${ports.PORT}`;
  while (!(await fetch(`${url}/health`).then(({ ok }) => ok, () => false))) await sleep(50);
  return { ...running, url: `${url}/graphql` };
}

/** Processor time of an answer, in microseconds. */
async function turn({ url, cpuNanos }: Running, bytes: Buffer): Promise<number> {
  const end = performance.now() + TURN_MS;
  const before = cpuNanos();
  const load = { url, next: () => bytes };
  const { answers } = await drive(load, () => performance.now() >= end);
  return (cpuNanos() - before) / answers / 1000;
}

/** For each contender the median of its cost for each of the first one, round by round. */
async function compare(operation: Operation, servers: readonly Running[]) {
  const requests = servers.map(({ url }) => postOf(url, operation));
  for (const { url } of servers) await ask(url, operation);
  for (const [i, server] of servers.entries()) await turn(server, requests[i]!);
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const costs: number[] = [];
    for (let i = 0; i < servers.length; i += 1) {
      const which = (i + round) % servers.length;
      costs[which] = await turn(servers[which]!, requests[which]!);
    }
    rounds.push(costs);
  }
  return servers.map((_server, i) => ({
    micros: median(rounds.map((costs) => costs[i]!)),
    ratio: median(rounds.map((costs) => costs[i]! / costs[0]!)),
  }));
}

const { server: sandbox, access } = await startSandbox();
const servers: Running[] = [];
const logOf = (i: number) => join(folder, `${i}.log`);
for (const [i, { env }] of CONTENDERS.entries()) servers.push(await startGateway(i, env));
for (const operation of [small, list]) {
  print(`a hot answer, ${operation.operationName}: processor time of the gateway`);
  for (const [i, { micros, ratio }] of (await compare(operation, servers)).entries()) {
    const { name, target = Infinity } = CONTENDERS[i]!;
    if (ratio > target) process.exitCode = 1;
    const most = target === Infinity ? '' : ` (at most ${target})${ratio > target ? ' MISSED' : ''}`;
    print(`  ${name}: ${micros.toFixed(1)} µs, ratio ${ratio.toFixed(3)}${most}`);
  }
}
print(`bytes logged: ${statSync(logOf(3)).size}`);
for (const server of servers) await server.stop();
await sandbox.stop();
collector.close();
rmSync(folder, { recursive: true });
