import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { open } from '../harness.ts';
import { connect as connectSocket } from './raw-socket.ts';

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

/** A client that has not sent its first message. */
async function openSocket(url: string) {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
  onTestFinished(() => socket.terminate());
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

test.for([
  [256, 4409, 1],
  [257, 4400, 0],
] as const)('an id of %s characters that is used twice ends the socket with %s', async (row) => {
  const [length, code, unreadUnits] = row;
  const { url } = await open({ unreadUnits });
  const { ask, socket } = await connectSocket(url);
  const closed = once(socket, 'close');
  for (let i = 0; i < 2; i += 1)
    ask('x'.repeat(length), 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair } }');
  expect((await closed)[0]).toBe(code);
});

test.for([
  ['one message of 16,000 bytes is read', 16_000, 1, 'connection_ack'],
  ['one of 17,000 bytes is not', 17_000, 1, '4400 Too many bytes before connection_ack'],
  ['two of 9,000 are not', 9000, 2, '4400 Too many bytes before connection_ack'],
] as const)('before the acknowledgement %s', async ([, bytes, count, outcome]) => {
  const { url } = await open();
  const socket = await openSocket(url);
  const end = Promise.race([
    once(socket, 'close').then(([code, reason]) => `${code} ${String(reason)}`),
    once(socket, 'message').then(([data]) => String(JSON.parse(String(data)).type)),
  ]);
  const type = count === 1 ? 'connection_init' : 'pong';
  const empty = JSON.stringify({ type, payload: { x: '' } }).length;
  const text = JSON.stringify({ type, payload: { x: 'x'.repeat(bytes - empty) } });
  for (let i = 0; i < count; i += 1) socket.send(text);
  expect(await end).toBe(outcome);
});

/** The package ws would wait for half a minute. */
const TEST_TIMEOUT = { timeout: 15_000 };

test.for(['who is not known and sends without end', 'who is known and sends what cannot be read'])(
  'the socket of a client %s is soon gone, whether or not the client notices',
  async (who) => {
    const { url } = await open({ env: { MAX_SOCKETS: '1' } });
    const isKnown = who.startsWith('who is known');
    const socket = isKnown ? (await connectSocket(url)).socket : await openSocket(url);
    socket.pause();
    if (isKnown) socket.send('{');
    else socket.send(' '.repeat(100_000), { fin: false });
    await expect.poll(async () => (await connectSocket(url)).status, TEST_TIMEOUT).toBe(101);
  },
);

test.for([
  [1000, 'connection_ack'],
  [1100, '1008'],
] as const)('a message in %s frames: %s', async ([frames, outcome]) => {
  const { url } = await open();
  const socket = await openSocket(url);
  const end = Promise.race([
    once(socket, 'close').then(([code]) => String(code)),
    once(socket, 'message').then(([data]) => String(JSON.parse(String(data)).type)),
  ]);
  const text = JSON.stringify({ type: 'connection_init' }).padStart(frames);
  for (let i = 0; i < frames; i += 1) socket.send(text.charAt(i), { fin: i === frames - 1 });
  expect(await end).toBe(outcome);
});

test('of the protocols that a client offers, the one that is served is chosen', async () => {
  const { url } = await open();
  const socket = new WebSocket(url.replace('http', 'ws'), ['graphql-ws', 'graphql-transport-ws']);
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  expect(socket.protocol).toBe('graphql-transport-ws');
});

test.for(['ping', 'pong'])(
  'a client that sends more than a hundred messages %s is refused',
  async (type) => {
    const { url } = await open();
    const { send, socket } = await connectSocket(url);
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    for (let i = 0; i < 101; i += 1) send({ type });
    expect(await closed).toBe(1008);
  },
);
