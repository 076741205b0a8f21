import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openCluster } from '../../src/shared/valkey/cluster.ts';
import { freePort } from '../valkey.ts';

test('a cluster that is closed before it is reached is not connected to any more', async () => {
  const port = await freePort();
  const failed = Promise.withResolvers<void>();
  const unexpected = () => expect.unreachable('nothing listens');
  const events = { onReady: unexpected, onCluster: unexpected, onError: () => failed.resolve() };
  const cluster = openCluster([`redis://127.0.0.1:${port}`], [], events);
  await failed.promise;
  await pause(50);
  cluster.close();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  onTestFinished(() => void server.close());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  await pause(1000);
  expect(connections).toBe(0);
});
