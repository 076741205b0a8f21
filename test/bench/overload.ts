import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import type { Order, Outcome, Work } from './overload-load.ts';
import { createProbes, type Probed, share } from './overload-probes.ts';
import { ask } from './speed-ask.ts';
import { list, page, small } from './speed-operations.ts';
import { startSandbox } from './speed-processes.ts';
import { SOURCES, startGateway } from './speed-servers.ts';

/**
 * How a gateway behaves under three times the load that it can serve: how much it still serves, how fast hot
 * answers and /health are meanwhile, and how soon it recovers.
 *
 *   npm run bench:overload [-- ROUNDS]       about twenty seconds a round
 *
 * The best throughput is measured under about the load that it can serve. Throughput is also counted by the gateway's
 * processor time: that is the figure to look at if other processes take the processors.
 */

const OVERLOAD_FACTOR = 3;
const TARGETS = { throughput: 0.9, hotP99: 50, backWithinMs: 2000 };
const WORKS: readonly Work[] = ['mixed', 'dear', 'cheap'];
/** Share of the load that can be served, sent before and after the overload. */
const CALM_SHARE = 0.3;
const MS = { probe: 1500, best: 2500, over: 4000, after: 500 };

const [rounds = 3] = process.argv.slice(2).map(Number);
const print = (line: string) => void process.stdout.write(`${line}\n`);
let isMissed = false;

function verdict(what: string, value: number, isMet: boolean, digits = 2, unit = ''): void {
  isMissed ||= !isMet;
  print(`    ${what}: ${value.toFixed(digits)}${unit}${isMet ? '' : ' MISSED'}`);
}

const { server: sandbox, access } = await startSandbox();
const more = { MAX_CONNECTIONS_PER_ADDRESS: '2000', LOG_LEVEL: 'info' };
const gateway = await startGateway(access, { script: SOURCES, more });
const load = fork(fileURLToPath(new URL('overload-load.ts', import.meta.url)), [gateway.url], {
  execArgv: [],
});
await once(load, 'message');

interface Loaded extends Outcome {
  perSecond: number;
  perCpuSecond: number;
  cpuShare: number;
}

async function sendLoad(order: Order): Promise<Loaded> {
  const [began, cpu] = [performance.now(), gateway.cpuMs()];
  load.send(order);
  const [outcome] = (await once(load, 'message')) as [Outcome];
  const [ms, cpuMs] = [performance.now() - began, gateway.cpuMs() - cpu];
  const { served } = outcome;
  return {
    ...outcome,
    perSecond: (served / ms) * 1000,
    perCpuSecond: (served / cpuMs) * 1000,
    cpuShare: cpuMs / ms,
  };
}

/** Raises the load until no more is served. Returns how many operations a second a whole processor could serve. */
async function maxServed(work: Work): Promise<number> {
  let max = 0;
  for (let perSecond = 100; ; perSecond *= 2) {
    const { perSecond: rate, perCpuSecond } = await sendLoad({ perSecond, ms: MS.probe / 2, work });
    if (rate >= perSecond * 0.8) max = perCpuSecond;
    else return Math.max(max, rate);
  }
}

const calm = (work: Work, perSecond: number, ms: number) =>
  sendLoad({ perSecond: perSecond * CALM_SHARE, ms, work });

/** Waits until the load has been worked off. */
async function settle(work: Work): Promise<void> {
  for (;;) if ((await sendLoad({ perSecond: 20, ms: MS.after, work })).refused === 0) break;
  await sendLoad({ perSecond: 20, ms: MS.after, work });
}

/**
 * Returns the time after the overload, in ms, until no operation is refused and the median answer takes at most
 * twice as long as before, or 5 ms.
 */
async function timeUntilCalm(work: Work, rate: number, before: number): Promise<number> {
  for (let ms = MS.after; ms <= 10_000; ms += MS.after) {
    const { servedMs, refused } = await calm(work, rate, MS.after);
    if (refused === 0 && share(servedMs, 0.5) <= Math.max(before * 2, 5)) return ms;
  }
  return Infinity;
}

interface Round {
  before: number;
  best: Loaded;
  over: Loaded;
  hot: Probed;
  health: Probed;
  recoveryMs: number;
}

async function round(work: Work, rate: number): Promise<Round> {
  await settle(work);
  const before = await calm(work, rate, MS.probe);
  const best = await sendLoad({ perSecond: rate, ms: MS.best, work });
  await settle(work);
  const probes = await createProbes(gateway);
  const over = await sendLoad({ perSecond: rate * OVERLOAD_FACTOR, ms: MS.over, work });
  const { hot, health } = await probes.end();
  const p50 = share(before.servedMs, 0.5);
  const recoveryMs = await timeUntilCalm(work, rate, p50);
  return { before: p50, best, over, hot, health, recoveryMs };
}

const median = (values: readonly number[]) => share(values, 0.5);

function report(work: Work, rate: number, all: readonly Round[]): void {
  const { failed, unsent } = all[0]!.over;
  const of = (value: (one: Round) => number) => median(all.map(value));
  print(
    `  ${work}: ${rate.toFixed(0)} a second can be served, ${of((one) => one.before).toFixed(1)} ms each when calm`,
  );
  const { best, over } = all[0]!;
  print(
    `    at its best: ${best.perSecond.toFixed(0)} served a second with ${(best.cpuShare * 100).toFixed(0)} % of a processor`,
  );
  print(
    `    at ${OVERLOAD_FACTOR} times: ${over.perSecond.toFixed(0)} served with ${(over.cpuShare * 100).toFixed(0)} %, ${((over.refused / MS.over) * 1000).toFixed(0)} refused, ${unsent} not sent; served p50 ${share(over.servedMs, 0.5).toFixed(0)} ms, p99 ${share(over.servedMs, 0.99).toFixed(0)} ms, refused p99 ${share(over.refusedMs, 0.99).toFixed(0)} ms`,
  );
  const byCpu = of((one) => one.over.perCpuSecond / one.best.perCpuSecond);
  verdict('throughput relative to the best, by processor time', byCpu, byCpu >= TARGETS.throughput);
  print(`      by time ${of((one) => one.over.perSecond / one.best.perSecond).toFixed(2)}`);
  const p99 = of(({ hot }) => share(hot.workedMs, 0.99));
  verdict(
    'hot answers p99, by how long the gateway works meanwhile',
    p99,
    p99 < TARGETS.hotP99,
    1,
    ' ms',
  );
  print(
    `      by time p50 ${of(({ hot }) => share(hot.ms, 0.5)).toFixed(1)} ms, p99 ${of(({ hot }) => share(hot.ms, 0.99)).toFixed(1)} ms; /health p99 ${of(({ health }) => share(health.ms, 0.99)).toFixed(1)} ms`,
  );
  const errors = all.flatMap((one) => [
    ...one.over.failed,
    ...one.hot.failed,
    ...one.health.failed,
  ]);
  verdict('errors other than 503', errors.length, errors.length === 0, 0);
  for (const error of new Set(failed.slice(0, 3))) print(`      ${error}`);
  const back = of(({ recoveryMs }) => recoveryMs);
  verdict('recovered after', back, back <= TARGETS.backWithinMs, 0, ' ms');
}

for (const operation of [small, list, page]) await ask(gateway.url, operation);
const years =
  '{ fxRates { nodes { pair history(start: "2019-01-01") { points { date value } } } } }';
await request(gateway.url, {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({ query: years }),
}).then(({ body }) => body.dump());

for (const work of WORKS) {
  await maxServed(work);
  const rate = await maxServed(work);
  const all: Round[] = [];
  for (let i = 0; i < rounds; i += 1) all.push(await round(work, rate));
  report(work, rate, all);
}
load.disconnect();
await gateway.stop();
await sandbox.stop();
if (isMissed) process.exitCode = 1;
