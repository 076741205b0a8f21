import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@redis/client';

/** A real Valkey or Redis server, if one is installed. */

/** The first one found on the PATH. */
export const SERVER_PROGRAM = ['valkey-server', 'redis-server'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

export interface ValkeyServer {
  url: string;
  /** Sends one command, as another client. */
  command(...args: string[]): Promise<unknown>;
  freeze(): void;
  resume(): void;
  kill(): Promise<void>;
  /** Restarts it with what it had stored on disk: nothing, unless `options` say so. */
  start(): Promise<void>;
}

/**
 * The system gives ports above these to whoever asks for any port, so that it may give away one that was found free a
 * moment ago. Ten thousand above its own, a server of a cluster needs another port, which must be below them, too.
 */
const FIRST_PORT = 20_000;
const PORTS_OF_EACH = 150;
/** Test files that run at the same time choose from different ports. */
const MAX_WORKERS = 16;
const WORKER = Number(process.env['VITEST_POOL_ID'] ?? 0) % MAX_WORKERS;
/** Number of the port that was chosen last: none is chosen twice in a row. */
let last = Math.floor(Math.random() * PORTS_OF_EACH);

/** Returns a port that a program may listen on in a moment, or again after it was stopped. */
export async function freePort(): Promise<number> {
  for (;;) {
    last = (last + 1) % PORTS_OF_EACH;
    const port = FIRST_PORT + WORKER + MAX_WORKERS * last;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}

const IN_MEMORY = ['--save', '', '--appendonly', 'no'];

/** `folder`: where it may write. The caller must end it. */
export async function runValkey(folder: string, options: string[] = []): Promise<ValkeyServer> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const run = () =>
    spawn(SERVER_PROGRAM!, [...place, ...IN_MEMORY, ...options], { stdio: 'ignore' });
  let child = run();
  const exited = () => (child.exitCode ?? child.signalCode) !== null || once(child, 'exit');

  const server: ValkeyServer = {
    url,
    async command(...args) {
      const client = createClient({ url });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return await client.sendCommand(args);
      } finally {
        client.destroy();
      }
    },
    freeze: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async kill() {
      child.kill('SIGKILL');
      await exited();
    },
    async start() {
      child = run();
      await answers(url);
    },
  };
  await answers(url);
  return server;
}

async function answers(url: string): Promise<void> {
  const client = createClient({ url, socket: { reconnectStrategy: () => 20 } });
  client.on('error', () => undefined);
  await client.connect();
  while ((await client.ping().catch(() => undefined)) !== 'PONG') await pause(20);
  client.destroy();
}
