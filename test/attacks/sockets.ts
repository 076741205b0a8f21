import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Attack, Target } from './attack.ts';
import { frame, message, openRaw, openWebSocket, subscribe, write } from './connections.ts';

/** Weaknesses 5 and 8: connections that do not read, or hardly write. */

const CHANGES =
  '{ legislationChanges(first: 500) { nodes { id title summary diff { before after } topics sourceUrl affectedArticles parentLaw { name number } } } }';
const HISTORY = `{ fxRate(pair: "USDTRY") { ${['a', 'b', 'c', 'd', 'e']
  .map((name) => `${name}: history(start: "1930-01-01") { points { date value } }`)
  .join(' ')} } }`;

async function askWithoutReading(target: Target, operations: number): Promise<void> {
  const { socket } = await openWebSocket(target);
  socket.pause();
  for (let i = 0; i < operations && !socket.destroyed; i += 1)
    socket.write(subscribe(String(i), CHANGES));
  await sleep(6000, undefined, { signal: target.signal });
  socket.destroy();
}

const PINGS_AT_ONCE = 2000;
const FLOOD_MS = 12_000;

async function flood(target: Target, ping: Buffer, count: number): Promise<void> {
  const { socket } = await openWebSocket(target);
  socket.pause();
  const many = Buffer.concat(Array.from({ length: PINGS_AT_ONCE }, () => ping));
  const endsAt = performance.now() + FLOOD_MS;
  for (let i = 0; i < count && !socket.destroyed; i += PINGS_AT_ONCE) {
    // The gateway should stop reading: a write that waits is what is wanted.
    const written = new AbortController();
    const late = sleep(Math.max(1, endsAt - performance.now()), undefined, written);
    await Promise.race([write(socket, many), late]);
    written.abort();
    late.catch(() => {});
    if (performance.now() > endsAt) break;
  }
  socket.destroy();
  // Pings that are still unanswered are now answered to nobody.
  await sleep(1500);
  const lines = target.stderr().split('\n').length;
  expect(lines, 'lines on stderr').toBeLessThan(100);
}

async function subscribeOften(target: Target, count: number): Promise<void> {
  const { socket } = await openWebSocket(target);
  let bytes = 0;
  socket.on('data', (chunk) => (bytes += chunk.length));
  const query = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair mid } }';
  for (let i = 0; i < count && !socket.destroyed; i += 1)
    await write(socket, subscribe(String(i), query));
  await sleep(8000, undefined, { signal: target.signal });
  socket.destroy();
  expect(bytes).toBeGreaterThan(0);
}

async function leaveUnread(target: Target, clients: number): Promise<void> {
  const body = JSON.stringify({ query: HISTORY });
  const head = [
    'POST /graphql HTTP/1.1',
    `host: ${target.host}:${target.port}`,
    'accept: application/json',
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  const opened = await Promise.allSettled(Array.from({ length: clients }, () => openRaw(target)));
  const sockets = opened.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  for (const socket of sockets) {
    socket.pause();
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  await sleep(8000, undefined, { signal: target.signal });
  for (const socket of sockets) socket.destroy();
}

const SLOW_MS = 30_000;
const DRIP_MS = 500;

/** Writes a byte now and then. Returns how many connections are still open after SLOW_MS. */
async function drip(target: Target, clients: number, beginning: string): Promise<number> {
  const opened = await Promise.allSettled(Array.from({ length: clients }, () => openRaw(target)));
  const sockets = opened.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  for (const socket of sockets) socket.resume().write(beginning);
  const openSockets = () => sockets.filter((socket) => !socket.destroyed);
  const endsAt = performance.now() + SLOW_MS;
  while (openSockets().length > 0 && performance.now() < endsAt) {
    await sleep(DRIP_MS, undefined, { signal: target.signal });
    for (const socket of openSockets()) socket.write('a');
  }
  const left = openSockets();
  for (const socket of left) socket.destroy();
  return left.length;
}

const SLOW_HEAD = 'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ';
const SLOW_BODY =
  'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n';

export const sockets: Attack[] = [
  {
    name: '5 700 operations on a WebSocket that never reads',
    run: (to) => askWithoutReading(to, 700),
  },
  {
    name: '5 3,000,000 pings of the protocol',
    run: (target) => flood(target, message({ type: 'ping' }), 3_000_000),
  },
  {
    name: '5 1,000,000 ping frames',
    run: (target) => flood(target, frame('', 9), 1_000_000),
  },
  {
    name: '5 10,000 subscriptions on one socket',
    env: { TTL_FX_RATES: '1' },
    run: (target) => subscribeOften(target, 10_000),
  },
  { name: '5 200 HTTP clients that do not read', run: (target) => leaveUnread(target, 200) },
  {
    name: '8 500 connections with slow headers',
    run: async (target) => {
      expect(await drip(target, 500, SLOW_HEAD), 'still open').toBe(0);
    },
  },
  {
    name: '8 500 connections with slow bodies',
    env: { REQUEST_TIMEOUT_MS: '10000' },
    run: async (target) => {
      expect(await drip(target, 500, SLOW_BODY), 'still open').toBe(0);
    },
  },
];
