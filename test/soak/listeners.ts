import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Draw } from '../bench/economy-random.ts';
import { SUBSCRIPTIONS } from '../ready-made.ts';
import { type Answers, countIn } from './clients.ts';

/** Clients that listen for a while, over server-sent events and WebSockets; some leave cleanly, some are cut off. */

const INTERVAL_MS = 1500;
const MAX_STAY_MS = 20_000;
const MAX_PER_SOCKET = 4;

interface Listening {
  url: string;
  keys: readonly string[];
  draw: Draw;
  answers: Answers;
}

interface Stay {
  key: string;
  ms: number;
  isCut: boolean;
}

function stayOf({ keys, draw }: Listening): Stay {
  const key = draw.chance(0.05) ? 'wrong' : draw.popular(keys);
  return { key, ms: 200 + draw.whole(MAX_STAY_MS), isCut: draw.chance(0.4) };
}

function subscription({ draw }: Listening): string {
  if (draw.chance(0.05)) return 'subscription { nothing }';
  const own = `subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }`;
  return draw.among([...SUBSCRIPTIONS.map(([, text]) => text), own]);
}

async function listenOverEvents(listening: Listening, signal: AbortSignal): Promise<void> {
  const { url, answers } = listening;
  const { key, ms, isCut } = stayOf(listening);
  const headers = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    authorization: `Bearer ${key}`,
  };
  const sent = request(url, { method: 'POST', agent: false, headers });
  sent.once('response', (response) => {
    response.on('data', (chunk: Buffer) => {
      if (chunk.includes('event: next')) countIn(answers, 'event over SSE');
    });
  });
  sent.on('error', () => {});
  sent.end(JSON.stringify({ query: subscription(listening) }));
  await sleep(ms, undefined, { signal }).catch(() => {});
  if (isCut) sent.socket?.resetAndDestroy();
  sent.destroy();
}

async function listenOverSocket(listening: Listening, signal: AbortSignal): Promise<void> {
  const { url, answers, draw } = listening;
  const { key, ms, isCut } = stayOf(listening);
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
  const say = (message: object) =>
    socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const ids = Array.from({ length: 1 + draw.whole(MAX_PER_SOCKET) }, (_, i) => String(i));
  socket.on('error', () => {});
  socket.once('open', () =>
    say({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }),
  );
  socket.on('message', (data: Buffer) => {
    const { type } = JSON.parse(data.toString()) as { type: string };
    if (type === 'connection_ack')
      for (const id of ids)
        say({ id, type: 'subscribe', payload: { query: subscription(listening) } });
    if (type === 'ping') say({ type: 'pong' });
    if (type === 'next') countIn(answers, 'event over WebSocket');
  });
  await sleep(ms, undefined, { signal }).catch(() => {});
  if (isCut) return socket.terminate();
  for (const id of ids) say({ id, type: 'complete' });
  await sleep(100);
  socket.close(1000);
}

/** Opens connections one after the other until `signal` aborts, then waits until all are closed; returns how many. */
export async function listen(listening: Listening, signal: AbortSignal): Promise<number> {
  const { draw } = listening;
  const open = new Set<Promise<void>>();
  let opened = 0;
  while (!signal.aborted) {
    const one: Promise<void> = draw
      .among([listenOverEvents, listenOverSocket])(listening, signal)
      .finally(() => open.delete(one));
    open.add(one);
    opened += 1;
    await sleep(2 * INTERVAL_MS * draw.number(), undefined, { signal }).catch(() => {});
  }
  await Promise.all(open);
  return opened;
}
