import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningGateway, startGateway, startUpstream } from '../attacks/processes.ts';
import { runValkey } from '../valkey.ts';
import { ask as askAt, traceSettings } from './trace-gateway.ts';

/** Runs gateways as separate processes over one upstream and one place where they share data. */

/**
 * How many times faster the clock of the trace runs. Processing is not faster: the faster the clock, the longer
 * processing takes relative to the times to live, and the higher the load.
 */
export const SPEED = Number(process.argv[2] ?? 2);

const agent = new Agent({ keepAlive: true });

export const ask = ({ url }: RunningGateway, query: string): Promise<string> =>
  askAt(url, agent, query);

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
    startGateway({ ...upstream.access, ...traceSettings(SPEED), ...one });
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
