import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { ValkeyServer } from './valkey-server.ts';

/** What may happen to a server, or to the connection to it. */

export const freezeFor = (ms: number) => async (server: ValkeyServer) => {
  server.freeze();
  await pause(ms);
  server.resume();
};

export async function restartStored(server: ValkeyServer): Promise<void> {
  await server.command('SAVE');
  await pause(50);
  await server.kill();
  await server.start();
}

/** Opens a proxy to the server that can be cut, slowed down, or made to lose the packets of its open connections. */
export async function openProxy(url: string) {
  let { port } = new URL(url);
  const sockets = new Set<Socket>();
  const lost = new Set<Socket>();
  let isCut = false;
  let delayMs = 0;

  function pass(from: Socket, to: Socket): void {
    sockets.add(from);
    from.on('data', (data) => void setTimeout(() => lost.has(from) || to.write(data), delayMs));
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  const server = createServer((one) => {
    const other = connect(Number(port), '127.0.0.1');
    pass(one, other);
    pass(other, one);
    if (isCut) one.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const own = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `redis://127.0.0.1:${own}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    dropPackets() {
      for (const socket of sockets) lost.add(socket);
    },
    /** Makes new connections lead to another server. */
    redirectTo: (other: string) => void ({ port } = new URL(other)),
    slow: (ms: number) => void (delayMs = ms),
    restore() {
      isCut = false;
      delayMs = 0;
    },
  };
}
