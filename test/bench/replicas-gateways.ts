import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RunningGateway, startGateway, startUpstream } from '../attacks/processes.ts';
import { runValkey } from '../valkey.ts';

/** Runs gateways as separate processes over one upstream and one place where they share data. */

/**
 * How many times faster the clock of the trace runs. Processing is not faster: the faster the clock, the longer
 * processing takes relative to the times to live, and the higher the load.
 */
export const SPEED = Number(process.argv[2] ?? 2);

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

/** A machine that stalls for a while must not cause timeouts. */
const LONG_TIMEOUTS = { UPSTREAM_TIMEOUT_MS: '30000', OPERATION_TIMEOUT_MS: '60000' };

/** As light as possible: it runs on the machine that it measures. */
const agent = new Agent({ keepAlive: true });
const headers = { 'content-type': 'application/json', accept: 'application/json' };

export async function ask({ url }: RunningGateway, query: string): Promise<string> {
  const sent = request(`${url}/graphql`, { method: 'POST', agent, headers });
  sent.end(JSON.stringify({ query }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (answer.includes('"errors":')) throw new Error(`${query}\n${answer.slice(0, 500)}`);
  return answer;
}

/** Where gateways share data: nowhere, in a file, or on a server. */
export type Place = 'nowhere' | 'file' | 'server';

export interface Replicas {
  gateways: RunningGateway[];
  /** Requests that the upstream has counted. */
  requests(): Promise<number>;
  /** Kills one gateway and starts it again. */
  restart(which: number): Promise<void>;
}

export interface ReplicasOptions {
  count: number;
  place: Place;
  latencyMs?: number;
}

export async function withReplicas<T>(
  { count, place, latencyMs = 0 }: ReplicasOptions,
  task: (replicas: Replicas) => Promise<T>,
): Promise<T> {
  const folders: string[] = [];
  const folder = () => folders[folders.push(mkdtempSync(join(tmpdir(), 'marketgraph-'))) - 1]!;
  const upstream = await startUpstream({ latencyMs });
  const common = folder();
  const server = place === 'server' ? await runValkey(common) : undefined;
  const own = Array.from({ length: count }, () => ({
    DATA_DIR: place === 'file' ? common : folder(),
    ...(server && { SHARED_URL: server.url }),
  }));
  const start = (one: Record<string, string>) =>
    startGateway({ ...upstream.access, ...LONG_TIMEOUTS, ...TIMES_TO_LIVE, ...one });
  const gateways = await Promise.all(own.map(start));
  try {
    return await task({
      gateways,
      async requests() {
        const all = Object.values((await upstream.count()).requests);
        return all.reduce((sum, one) => sum + one, 0);
      },
      async restart(which) {
        await gateways[which]!.end();
        gateways[which] = await start(own[which]!);
      },
    });
  } finally {
    for (const { end } of gateways) await end();
    await server?.kill();
    await upstream.end();
    for (const one of folders) rmSync(one, { recursive: true, force: true });
  }
}
