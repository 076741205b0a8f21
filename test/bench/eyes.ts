import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './speed-hot.ts';
import { list, type Operation, small } from './speed-operations.ts';
import { startSandbox } from './speed-processes.ts';
import type { Variables } from './speed-servers.ts';
import { measureTurns } from './turns-load.ts';

/**
 * What observability costs: hot answers of gateways that count and log each answer, or are set up for traces,
 * compared with those of a gateway that does none of this. They take turns within one process (turns.ts).
 *
 *   npm run bench:eyes             twenty minutes
 *   npm run bench:eyes -- traces   only contenders whose name contains the word
 */

/** Several processes, since V8 compiles the code differently in each. */
const PROCESSES = 3;
const MEASURE_MS = 10_000;
/** For contenders with a target: their ratio has to be known to a hundredth. */
const MEASURE_CLOSELY_MS = 40_000;
const PER_TURN = 1000;
/** Longer, so that exports in the background fall into the turn they belong to. */
const PER_LONG_TURN = 10_000;

interface Contender {
  name: string;
  env: Variables;
  /** Maximum cost of an answer, relative to one of a gateway that does none of this. */
  target?: number;
  perTurn?: number;
}

const UNOBSERVED = { ADMIN_PORT: '0', LOG_LEVEL: 'warn' };

/** Starts a collector that discards everything it receives. */
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
  ...UNOBSERVED,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_TRACES_SAMPLER: sampler,
  OTEL_TRACES_SAMPLER_ARG: argument,
});
const CONTENDERS: readonly Contender[] = [
  { name: 'metrics alone', env: { LOG_LEVEL: 'warn' } },
  { name: 'metrics and a log line per operation', env: { LOG_LEVEL: 'info' }, target: 1.05 },
  { name: 'traces, always_off', env: traced('always_off'), target: 1.03 },
  { name: 'traces, parentbased_always_off', env: traced('parentbased_always_off'), target: 1.03 },
  { name: 'traces, one in a hundred', env: traced('traceidratio', '0.01'), perTurn: PER_LONG_TURN },
  { name: 'traces of all', env: traced('always_on'), perTurn: PER_LONG_TURN },
];

/** No upstream request is sent during the measurement. ADMIN_PORT only turns on the metrics: it is never opened. */
const COMMON = { ADMIN_PORT: '2', TTL_FX_RATES: '36000', TTL_CRYPTO: '36000' };

/** Measures the cost of an answer relative to one of an unobserved gateway, and the processor time of the latter. */
async function measure(
  operation: Operation,
  { env, perTurn = PER_TURN, target }: Contender,
  run: number,
) {
  const gateways = [UNOBSERVED, env].map((variables) => ({
    env: { ...access, ...COMMON, ...variables },
  }));
  const ms = target === undefined ? MEASURE_MS : MEASURE_CLOSELY_MS;
  const own = join(folder, String(run));
  const { micros, ratios } = await measureTurns({ gateways, operation, perTurn, ms, folder: own });
  return { micros, ratio: ratios[0]! };
}

let runs = 0;
async function measureAll(operation: Operation, contender: Contender) {
  const found: Awaited<ReturnType<typeof measure>>[] = [];
  while (found.length < PROCESSES) found.push(await measure(operation, contender, (runs += 1)));
  const ratios = found.map(({ ratio }) => ratio);
  const micros = median(found.map((one) => one.micros));
  return { micros, ratio: median(ratios), from: Math.min(...ratios), to: Math.max(...ratios) };
}

const { server: sandbox, access } = await startSandbox();
print(
  'processor time of a hot answer of an unobserved gateway, and the cost of an observed answer relative to it',
);
print('(median of several processes; lowest and highest in parentheses)');
const [, , only = ''] = process.argv;
for (const contender of CONTENDERS.filter(({ name }) => name.includes(only)))
  for (const operation of [small, list]) {
    const { micros, ratio, from, to } = await measureAll(operation, contender);
    const { name, target = Infinity } = contender;
    if (ratio > target) process.exitCode = 1;
    const bound =
      target === Infinity ? '' : `, at most ${target}${ratio > target ? ' MISSED' : ''}`;
    const range = `${from.toFixed(3)} to ${to.toFixed(3)}${bound}`;
    const title = `  ${name}, ${operation.operationName}`;
    print(`${title}: ${micros.toFixed(1)} µs, ratio ${ratio.toFixed(3)} (${range})`);
  }
await sandbox.stop();
collector.close();
rmSync(folder, { recursive: true });
