import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drive, postOf } from './speed-load.ts';
import { list, neverSeen } from './speed-operations.ts';
import { type Running, start, startSandbox } from './speed-processes.ts';
import { BUNDLE, buildBundle } from './speed-servers.ts';
import { spendOfTrace } from './trace-units.ts';

/**
 * What a second worker brings: warm queries (documents known, data cached, answers not kept), alternately on one
 * worker and on two. The load generator takes a part of the same cores, which lowers the answers a second, so the gain
 * is also computed from the processor time of all processes of the gateway.
 *
 *   npm run bench:workers
 */

const ROUNDS = 5;
const ROUND_MS = 2500;
/** Load generators at the same time, with ten connections each. */
const LOADS = 3;
/** For each process of the gateway, until all workers run compiled code: each gets only a part of the load. */
const WARM_UP_ROUNDS = 3;
const MIN_RATIO = 1.6;
const MAX_UNITS_RATIO = 1.02;
/** How often the trace is replayed with each number of workers: one replay differs from the next by a few units. */
const REPLAYS = 3;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'marketgraph-bench-'));

/** All processes of one gateway. */
interface Server {
  name: string;
  running: Running;
  pids: number[];
  next(): Buffer;
}

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** User and kernel time of all threads of a process, in milliseconds. */
const cpuMs = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

async function startServer(workers: number, access: Record<string, string>): Promise<Server> {
  const variables = {
    ...access,
    WORKERS: String(workers),
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'info',
    TTL_CRYPTO: '3600',
    DATA_DIR: join(folder, String(workers)),
  };
  const running = await start([BUNDLE], variables);
  // The line with the address is logged by the primary process.
  const own = Number(/"pid":(\d+)[^\n]*graphql/.exec(running.output)?.[1]);
  const variant = neverSeen(list);
  let count = 0;
  const next = () => postOf(running.url, variant((count += 1)));
  return { name: `${workers}`, running, pids: [own, ...childrenOf(own)], next };
}

interface Round {
  perSecond: number;
  /** Processor time of all processes of the gateway, per answer. */
  cpuMsEach: number;
  /** The largest share of that processor time that one process takes. */
  largestShare: number;
  /** How many cores the load generator takes. */
  loadCores: number;
}

async function measure({ running, pids, next }: Server): Promise<Round> {
  const before = pids.map(cpuMs);
  const own = process.cpuUsage();
  const end = performance.now() + ROUND_MS;
  const load = () => drive({ url: running.url, next }, () => performance.now() > end);
  const loads = await Promise.all(Array.from({ length: LOADS }, load));
  const answers = loads.reduce((sum, one) => sum + one.answers, 0);
  const ms = Math.max(...loads.map((one) => one.ms));
  const spent = pids.map((pid, i) => cpuMs(pid) - before[i]!);
  const total = spent.reduce((sum, one) => sum + one, 0);
  const { user, system } = process.cpuUsage(own);
  return {
    perSecond: (answers / ms) * 1000,
    cpuMsEach: total / answers,
    largestShare: Math.max(...spent) / total,
    loadCores: (user + system) / 1000 / ms,
  };
}

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const medianOf = (rounds: Round[], of: keyof Round) => median(rounds.map((round) => round[of]));

async function compareSpeed(): Promise<number> {
  const { server: sandbox, access } = await startSandbox();
  const servers = [await startServer(1, access), await startServer(2, access)];
  for (const server of servers)
    for (let i = 0; i < WARM_UP_ROUNDS * server.pids.length; i += 1) await measure(server);
  const rounds: Round[][] = [[], []];
  for (let i = 0; i < ROUNDS; i += 1)
    for (const which of [0, 1]) rounds[which]!.push(await measure(servers[which]!));
  for (const { running } of servers) await running.stop();
  await sandbox.stop();
  print('workers   answers/s   CPU ms each   largest share   load generator, cores');
  for (const [i, { name }] of servers.entries()) {
    const cells = [
      medianOf(rounds[i]!, 'perSecond').toFixed(0).padStart(12),
      medianOf(rounds[i]!, 'cpuMsEach').toFixed(3).padStart(14),
      medianOf(rounds[i]!, 'largestShare').toFixed(2).padStart(16),
      medianOf(rounds[i]!, 'loadCores').toFixed(2).padStart(12),
    ];
    print(name.padStart(7) + cells.join(''));
  }
  const raw = medianOf(rounds[1]!, 'perSecond') / medianOf(rounds[0]!, 'perSecond');
  // With a core for each worker, the busiest one sets the pace.
  const longest = (all: Round[]) => medianOf(all, 'cpuMsEach') * medianOf(all, 'largestShare');
  const net = longest(rounds[0]!) / longest(rounds[1]!);
  print(`answers a second, two workers to one: ${raw.toFixed(2)}, beside the load generator`);
  print(`by processor time: ${net.toFixed(2)} (at least ${MIN_RATIO})`);
  return net;
}

try {
  buildBundle();
  const ratio = await compareSpeed();
  const [ones, twos]: [number[], number[]] = [[], []];
  for (let i = 0; i < REPLAYS; i += 1) {
    ones.push(await spendOfTrace({ workers: 1 }));
    twos.push(await spendOfTrace({ workers: 2 }));
  }
  print(
    `units of the economy trace: ${ones.join(', ')} with one, ${twos.join(', ')} with two workers`,
  );
  const [one, two] = [median(ones), median(twos)];
  print(`  of the medians: ${(two / one).toFixed(3)} (at most ${MAX_UNITS_RATIO})`);
  if (ratio < MIN_RATIO || two > one * MAX_UNITS_RATIO) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
