import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dayAt } from '../../src/time.ts';
import { startGateway, startUpstream } from '../attacks/processes.ts';
import type { UpstreamOptions } from '../attacks/upstream.ts';
import { createDraw } from './economy-random.ts';
import { marketOf, openSandbox } from './economy-replay.ts';
import { marketTrace } from './economy-trace.ts';
import { ask, traceSettings } from './trace-gateway.ts';

/** Measures what a gateway spends on the market page's trace of `bench:economy`, replayed five times as fast. */

const SPEED = 5;
const OPERATIONS = 5000;
const DURATION_MS = 125_000;
/** Enough for each of two workers to get about half of them. */
const CONNECTIONS = 16;

async function traceOfToday() {
  const sandbox = await openSandbox(Date.now);
  const market = { ...marketOf(sandbox), today: dayAt(Date.now(), 'Europe/Istanbul') };
  await sandbox.close();
  return marketTrace(market, OPERATIONS, DURATION_MS).visits;
}

interface Setting {
  workers?: number;
  /** How fast the upstream sends; at once by default. */
  line?: Pick<UpstreamOptions, 'latencyMs' | 'bytesPerSecond'>;
}

/** Returns the requests that the upstream has counted. Each operation goes over a random connection. */
export async function spendOfTrace({ workers = 1, line = {} }: Setting): Promise<number> {
  const visits = await traceOfToday();
  const folder = mkdtempSync(join(tmpdir(), 'marketgraph-bench-'));
  const upstream = await startUpstream(line);
  const env = {
    ...upstream.access,
    ...traceSettings(SPEED),
    DATA_DIR: folder,
    WORKERS: String(workers),
  };
  const gateway = await startGateway(env);
  const agents = Array.from(
    { length: CONNECTIONS },
    () => new Agent({ keepAlive: true, maxSockets: 4 }),
  );
  const draw = createDraw(workers);
  try {
    const began = performance.now();
    const asked: Promise<string>[] = [];
    for (const { at, questions } of visits) {
      const wait = began + at / SPEED - performance.now();
      if (wait > 0) await sleep(wait);
      const query = `{ ${questions.map(({ field }, n) => `q${n}: ${field}`).join(' ')} }`;
      asked.push(ask(gateway.url, agents[draw.whole(CONNECTIONS)]!, query));
    }
    await Promise.all(asked);
    const counted = Object.values((await upstream.count()).requests);
    return counted.reduce((sum, one) => sum + one, 0);
  } finally {
    for (const agent of agents) agent.destroy();
    await gateway.end();
    await upstream.end();
    rmSync(folder, { recursive: true, force: true });
  }
}
