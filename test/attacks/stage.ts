import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Target } from './attack.ts';
import type { Figures } from './figures.ts';
import { type RunningGateway, startGateway, startUpstream, startWatch } from './processes.ts';

/** Runs an attack against separate processes and measures what it does to the gateway. */

/** Beyond this the gateway is ended, so that an attack that succeeds does not take the machine with it. */
const HARD_LIMITS = { residentMiB: 1200, cpuMs: 30_000, ms: 60_000 };
const POLL_MS = 50;
/** How long the gateway is measured with only its watcher, to know what watching costs. */
const BASELINE_MS = 1000;
/** How long the gateway has to be as calm as before the attack. */
const CALM_SAMPLE_MS = 300;
const MAX_CALM_SAMPLES = 40;
/** How long the other client asks at least, so that its percentiles mean something for short attacks, too. */
const WATCH_MS = 4000;

/** Ends a gateway that takes too much. */
function guard(gateway: RunningGateway) {
  const aborted = new AbortController();
  const startedAt = performance.now();
  const first = gateway.used().cpuMs;
  let reason = '';
  const stop = (why: string) => {
    reason ||= why;
    aborted.abort();
    void gateway.end();
  };
  const timer = setInterval(() => {
    const { residentMiB, cpuMs } = gateway.used();
    if (!gateway.isAlive()) stop('died');
    else if (residentMiB > HARD_LIMITS.residentMiB) stop(`ended at ${residentMiB.toFixed(0)} MB`);
    else if (cpuMs - first > HARD_LIMITS.cpuMs)
      stop(`ended after ${HARD_LIMITS.cpuMs} ms of processor time`);
    else if (performance.now() - startedAt > HARD_LIMITS.ms)
      stop(`ended after ${HARD_LIMITS.ms} ms`);
  }, POLL_MS);
  return {
    signal: aborted.signal,
    reason: () => reason,
    end: () => clearInterval(timer),
  };
}

/** Waits until the gateway is about as calm as it was before. */
async function settle(gateway: RunningGateway, idleShare: number): Promise<void> {
  for (let i = 0; i < MAX_CALM_SAMPLES && gateway.isAlive(); i += 1) {
    const before = gateway.used().cpuMs;
    await sleep(CALM_SAMPLE_MS);
    if ((gateway.used().cpuMs - before) / CALM_SAMPLE_MS < idleShare + 0.1) return;
  }
}

const ended = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

export interface Outcome {
  figures: Figures;
  /** What the attack found wrong. */
  failure: unknown;
}

export async function perform(attack: Attack): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'marketgraph-'));
  const started: { end(): Promise<void> }[] = [];
  try {
    const upstream = await startUpstream(attack.upstream);
    started.push(upstream);
    const variables = { DATA_DIR: folder, ...upstream.access, ...attack.env };
    const gateway = await startGateway(variables);
    started.push(gateway);
    const watch = await startWatch(gateway.url);
    started.push(watch);
    return await measure(attack, { upstream, gateway, watch });
  } finally {
    for (const { end } of started.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Stage {
  upstream: Awaited<ReturnType<typeof startUpstream>>;
  gateway: RunningGateway;
  watch: Awaited<ReturnType<typeof startWatch>>;
}

async function measure(attack: Attack, { upstream, gateway, watch }: Stage): Promise<Outcome> {
  await sleep(BASELINE_MS);
  const idle = gateway.used().cpuMs;
  await sleep(BASELINE_MS);
  const calmShare = (gateway.used().cpuMs - idle) / BASELINE_MS;
  await watch.begin();
  const guarded = guard(gateway);
  const before = gateway.used().cpuMs;
  const startedAt = performance.now();
  const target: Target = {
    host: '127.0.0.1',
    port: Number(new URL(gateway.url).port),
    signal: guarded.signal,
    requests: async () => (await upstream.count()).requests,
    rareTickers: async () => (await upstream.count()).rareTickers,
    stderr: gateway.stderr,
  };
  const run = attack.run(target).then(
    () => undefined,
    (error: unknown) => error ?? new Error('failed'),
  );
  const failure = await Promise.race([run, ended(guarded.signal)]);
  await settle(gateway, calmShare);
  const ms = performance.now() - startedAt;
  const cpuMs = Math.max(0, gateway.used().cpuMs - before - ms * calmShare);
  if (!guarded.signal.aborted) await sleep(Math.max(0, WATCH_MS - ms));
  const watched = await watch.finish();
  guarded.end();
  const { peakMiB } = gateway.used();
  const figures = { name: attack.name, cpuMs, peakMiB, ms, watched, end: guarded.reason() };
  return { figures, failure };
}
