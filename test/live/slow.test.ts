import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { expectEvents, type Live, open } from './gateway.ts';

/**
 * What a client that does not read costs: the connection's own buffers hold a few events, and
 * beyond them only the latest is kept.
 */

const ENV = { TTL_CRYPTO: '0.05' };
const CHANGES = 40;

/** Makes about 400 KB per event. */
const FIELDS = Array.from({ length: 60 }, (_, i) => `f${i}: name u${i}: updatedAt`).join(' ');
const LARGE = `subscription Big($symbols: [String!]!) {
  cryptoAssetsUpdated(symbols: $symbols) { price updatedAt ${FIELDS} }
}`;
const SMALL = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { updatedAt } }';

function symbolsOf({ sandbox }: Live): string[] {
  const { data } = Object(sandbox.answer('B', '/crypto/prices?limit=120').body);
  return data.map(({ symbol }: { symbol: string }) => symbol);
}

/** Lets the prices move many times, each change seen by a watcher; returns the time of the last update. */
async function move(live: Live): Promise<string> {
  const watcher = await live.sse(SMALL);
  await expectEvents([watcher], 1);
  for (let i = 0; i < CHANGES; i += 1) {
    live.step();
    await expectEvents([watcher], i + 2);
  }
  return Object(watcher.events.at(-1)?.data).cryptoAssetsUpdated[0].updatedAt;
}

/** Returns the update times in the events, once the latest has arrived. */
async function timesUntil(latest: string, read: () => string): Promise<string[]> {
  const times = () => [
    ...read().matchAll(/"cryptoAssetsUpdated":\[\{"price":[^,]*,"updatedAt":"([^"]*)"/g),
  ];
  await expect.poll(() => times().at(-1)?.[1], { interval: 100 }).toBe(latest);
  return times().map(([, time]) => time!);
}

function sendRequest(socket: Socket, { url }: Live, body: string): void {
  const head = [
    'POST /graphql HTTP/1.1',
    `host: ${new URL(url).host}`,
    'accept: text/event-stream',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
}

test('a slow reader over SSE gets the latest, not the backlog', async () => {
  const live = await open({ env: ENV });
  const socket = connect(Number(new URL(live.url).port), '127.0.0.1');
  const variables = { symbols: symbolsOf(live) };
  sendRequest(socket, live, JSON.stringify({ query: LARGE, variables }));
  socket.pause();
  const latest = await move(live);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  socket.resume();
  const times = await timesUntil(latest, () => text);
  socket.destroy();
  expect(times.length).toBeLessThan(0.75 * CHANGES);
});

test('a slow reader over WebSocket gets the latest, not the backlog', async () => {
  const live = await open({ env: ENV });
  const socket = new WebSocket(live.url.replace('http', 'ws'), 'graphql-transport-ws');
  await once(socket, 'open');
  const texts: string[] = [];
  socket.on('message', (data: Buffer) => texts.push(data.toString()));
  const payload = { query: LARGE, variables: { symbols: symbolsOf(live) } };
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await expect.poll(() => texts).toHaveLength(1);
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
  socket.pause();
  const latest = await move(live);
  socket.resume();
  const times = await timesUntil(latest, () => texts.join('\n'));
  socket.terminate();
  expect(times.length).toBeLessThan(0.75 * CHANGES);
});
