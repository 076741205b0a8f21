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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
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
