import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { open } from '../harness.ts';
import { connect } from './raw-socket.ts';

/** What is kept of data that clients send: before it is complete, and after it was read. */

const PART_BYTES = 1_000_000;

test('unfinished bodies and messages share a limit: those that began first are cut', async () => {
  const { url } = await open();
  const { hostname, port } = new URL(url);
  const body = connectTo(Number(port), hostname);
  onTestFinished(() => void body.destroy());
  body.on('error', () => undefined);
  const cut = once(body, 'close');
  const head = `POST /graphql HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${PART_BYTES}\r\n\r\n`;
  body.write(head + ' '.repeat(PART_BYTES - 1));
  const idle = await connect(url);
  const clients = [];
  for (let i = 0; i < 68; i += 1) {
    const client = await connect(url);
    client.socket.send(' '.repeat(PART_BYTES), { fin: false });
    client.socket.ping();
    await once(client.socket, 'pong');
    clients.push(client);
  }
  await cut;
  const left = clients.filter(({ socket }) => socket.readyState === WebSocket.OPEN);
  expect(left).toEqual(clients.slice(-left.length));
  expect(left.length).toBeGreaterThan(60);
  const rest = JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '{ __typename }' } });
  for (const { socket } of left) socket.send(rest, { fin: true });
  for (const { of } of left) await expect.poll(() => of('complete')).toHaveLength(1);
  expect(idle.socket.readyState).toBe(WebSocket.OPEN);
});

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

async function heapBytes(): Promise<number> {
  await new Promise(setImmediate);
  collect();
  return process.memoryUsage().heapUsed;
}

/** Once parsed, more than 60 bytes each. */
const objects = (count: number) => Array.from({ length: count }, () => ({}));

test('nothing is kept of the messages that open connections', async () => {
  const { url } = await open();
  await connect(url);
  const before = await heapBytes();
  for (let i = 0; i < 100; i += 1) await connect(url, {}, { x: objects(5000) });
  expect((await heapBytes()) - before).toBeLessThan(15_000_000);
});

test('nothing is kept of the messages that open subscriptions, once they were read', async () => {
  const { url } = await open({ unreadUnits: 1 });
  const query = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair } }';
  const subscribe = (id: string, count: number) =>
    JSON.stringify({
      id,
      type: 'subscribe',
      payload: { query, extensions: { x: objects(count) } },
    });
  const first = await connect(url);
  first.socket.send(subscribe('0', 10));
  await expect.poll(() => first.of('next')).toHaveLength(1);
  const before = await heapBytes();
  for (let i = 1; i <= 20; i += 1) first.socket.send(subscribe(String(i), 50_000));
  await expect.poll(() => first.of('next')).toHaveLength(21);
  expect((await heapBytes()) - before).toBeLessThan(20_000_000);
});
