import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { open } from '../harness.ts';

/** WebSockets that are refused, or end for a reason. */

test('a refused client that keeps its end open holds no connection', async () => {
  const { url } = await open({ env: { MAX_CONNECTIONS: '2' } });
  const { hostname, port } = new URL(url);
  const upgrade = `GET /graphql HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  for (let i = 0; i < 4; i += 1) {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.resume().write(upgrade);
    await once(socket, 'end');
  }
  await expect.poll(async () => (await fetch(new URL('/health', url))).status).toBe(200);
});

test('an operation id of any length that is used twice ends the socket with its own code', async () => {
  const { url } = await open({ unheard: 1 });
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  const query = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair } }';
  const begin = { id: 'x'.repeat(500), type: 'subscribe', payload: { query } };
  for (let i = 0; i < 2; i += 1) socket.send(JSON.stringify(begin));
  const [code] = await once(socket, 'close');
  expect(code).toBe(4409);
});
