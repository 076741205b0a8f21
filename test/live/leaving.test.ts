import { once } from 'node:events';
import { connect as connectSocket, type Socket as TcpSocket } from 'node:net';
import { expect, test } from 'vitest';
import { startProcess } from '../e2e/child.ts';
import { expectEvents, requestsWithin, type Live, open } from './gateway.ts';
import { openSocket } from './socket.ts';
import { openSse } from './sse.ts';
import type { Subscriber } from './subscriber.ts';

const TTL_MS = 150;
const ENV = { TTL_CRYPTO: '0.15', TTL_FX_RATES: '0.15', TTL_LEGISLATION: '0.15' };

const ASSETS = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }';
const RATES = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { mid } }';
const LAWS = 'subscription { legislationChangePublished { title } }';

/** A subscription whose connection is in the test's hands. */
async function rawSubscriber({ url }: Live): Promise<TcpSocket> {
  const { hostname, port, host } = new URL(url);
  const socket = connectSocket(Number(port), hostname);
  const head = ['GET', `/graphql?${String(new URLSearchParams({ query: ASSETS }))}`, 'HTTP/1.1'];
  const lines = [head.join(' '), `host: ${host}`, 'accept: text/event-stream', '', ''];
  socket.write(lines.join('\r\n'));
  let text = '';
  while (!text.includes('"price"')) text += String((await once(socket, 'data'))[0]);
  return socket;
}

test('who unsubscribes over WebSocket ends the looks, and the connection goes on', async () => {
  const live = await open({ env: ENV });
  const socket = live.socket();
  const all = [ASSETS, RATES].map((query) => socket.subscribe(query));
  const waiting = socket.subscribe(LAWS);
  await expectEvents(all, 1);
  for (const { leave } of [...all, waiting]) leave();
  expect(await requestsWithin(live, 3 * TTL_MS)).toBe(0);
  const again = socket.subscribe(ASSETS);
  await expectEvents([again], 1);
});

test('who stays is served on when others leave', async () => {
  const live = await open({ env: ENV });
  const [leaving, staying] = [await live.sse(ASSETS), await live.sse(ASSETS)];
  await expectEvents([leaving, staying], 1);
  leaving.leave();
  live.step();
  await expectEvents([staying], 2);
  expect(leaving.events).toHaveLength(1);
});

test('a connection that is cut ends the looks, over SSE and over WebSocket', async () => {
  const live = await open({ env: ENV });
  const raw = await rawSubscriber(live);
  const socket = live.socket();
  await expectEvents([socket.subscribe(ASSETS), socket.subscribe(RATES)], 1);
  raw.destroy();
  socket.destroy();
  expect(await requestsWithin(live, 3 * TTL_MS)).toBe(0);
});

test('who leaves before the first look has an answer is forgotten', async () => {
  const live = await open({ env: ENV });
  live.sandbox.set({ latencyMs: 200 });
  const all = [await live.sse(ASSETS), await live.sse(LAWS)];
  for (const { leave } of all) leave();
  await expect.poll(() => live.sandbox.requests().map(({ status }) => status)).toEqual([200, 200]);
  expect(await requestsWithin(live, 3 * TTL_MS)).toBe(0);
});

test('stopping ends every subscription in good order, and no more requests go out', async () => {
  const live = await open({ env: ENV });
  const socket = live.socket();
  const all: Subscriber[] = [await live.sse(ASSETS), await live.sse(LAWS, {}, 'GET')];
  all.push(socket.subscribe(ASSETS), socket.subscribe(RATES));
  await expectEvents([all[0]!, all[2]!, all[3]!], 1);
  live.app.stop();
  await Promise.all(all.map(({ ended }) => ended));
  expect(await requestsWithin(live, 3 * TTL_MS)).toBe(0);
});

test('closing alone ends subscriptions, too', async () => {
  const live = await open({ env: ENV });
  const all = [await live.sse(ASSETS), live.socket().subscribe(RATES)];
  await expectEvents(all, 1);
  await live.close();
  await Promise.all(all.map(({ ended }) => ended));
  expect(await requestsWithin(live, 3 * TTL_MS)).toBe(0);
});

/** Far less than the time to live of any dataset: a timer left behind would keep the process. */
const EXIT_MS = 2500;

test.for(['after they have left', 'while they listen'])(
  'a process with subscribers ends at once, %s',
  async (when) => {
    const child = startProcess({ SANDBOX: '1' });
    const url = `${await child.url()}/graphql`;
    const socket = openSocket(url);
    const all = [await openSse(url, { query: ASSETS }), socket.subscribe(RATES)];
    all.push(
      socket.subscribe(LAWS),
      socket.subscribe('subscription { calendarEventReleased { id } }'),
    );
    await expectEvents(all.slice(0, 2), 1);
    if (when === 'after they have left') for (const { leave } of all) leave();
    const started = performance.now();
    child.child.kill('SIGTERM');
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(EXIT_MS);
  },
);
