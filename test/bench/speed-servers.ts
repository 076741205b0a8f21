import { existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, type Running, start } from './speed-processes.ts';
import { sameTimesToLive } from '../times-to-live.ts';

/**
 * Starts the servers that are compared: the gateway from its bundle, and its peers, which are other
 * GraphQL servers and a raw node:http server.
 */

export const BUNDLE = 'dist/main.js';
export const SOURCES = 'src/main.ts';

/** Seconds: nothing expires while the benchmark runs. */
const LONG_TTL = 36_000;

export type Variables = Readonly<Record<string, string>>;

/** Starts a gateway; the folder of its ledger is removed when it stops. */
export async function startGateway(
  access: Variables,
  {
    ttl = LONG_TTL,
    script = BUNDLE,
    more = {},
  }: { ttl?: number; script?: string; more?: Variables },
): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'marketgraph-bench-'));
  const variables = {
    ...access,
    ...sameTimesToLive(String(ttl)),
    PORT: '0',
    DATA_DIR: folder,
    LOG_LEVEL: 'info',
    // There is no load balancer that has to notice the stop.
    DRAIN_MS: '0',
    ...more,
  };
  const running = await start([script], variables);
  const stop = async () => {
    await running.stop();
    await rm(folder, { recursive: true });
  };
  return { ...running, stop };
}

export type Peer = 'mercurius' | 'apollo' | 'raw';

export function startPeer(peer: Peer, access: Variables = {}, ttl = LONG_TTL): Promise<Running> {
  return start([`test/bench/peers/${peer}.js`], { ...access, TTL: String(ttl) });
}

const npm = (args: string[], cwd: string) => execFileSync('npm', args, { cwd, stdio: 'ignore' });

export const buildBundle = () => npm(['run', 'build'], ROOT);

/** Builds the bundle, and installs the peers' packages unless they are installed. */
export function prepare(): void {
  const peers = join(ROOT, 'test/bench/peers');
  if (!existsSync(join(peers, 'node_modules'))) npm(['ci', '--ignore-scripts'], peers);
  buildBundle();
}
