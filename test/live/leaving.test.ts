import { once } from 'node:events';
import { connect as connectSocket, type Socket as TcpSocket } from 'node:net';
import { expect, test } from 'vitest';
import { startProcess } from '../e2e/child.ts';
import { expectEvents, type Live, open, requestsWithin } from './gateway.ts';
import { openSocket } from './socket.ts';
import { openSse } from './sse.ts';
import type { Subscriber } from './subscriber.ts';

const TTL_MS = 100;
const ENV = { TTL_CRYPTO: '0.1', TTL_FX_RATES: '0.1', TTL_LEGISLATION: '0.1' };

const ASSETS = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }';
const RATES = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { mid } }';
const LAWS = 'subscription { legislationChangePublished { title } }';
const RELEASES = 'subscription { calendarEventReleased { id } }';

/** Subscribes over a raw connection that the test controls. */
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

test('unsubscribing over WebSocket ends the polls, and the connection stays open', async () => {
  const live = await open({ env: ENV });
  const socket = live.socket();
  const staying = socket.subscribe(RELEASES);
  const all = [ASSETS, RATES].map((query) => socket.subscribe(query));
  const waiting = socket.subscribe(LAWS);
  await expectEvents(all, 1);
  await live.expectRequests(4);
  for (const { leave } of [...all, waiting]) leave();
  await socket.sync();
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
  const again = socket.subscribe(ASSETS);
  await expectEvents([again], 1);
  expect(staying.events).toEqual([]);
});

test('a subscriber is still served when others leave', async () => {
  const live = await open({ env: ENV });
  const [leaving, staying] = [await live.sse(ASSETS), await live.sse(ASSETS)];
  await expectEvents([leaving, staying], 1);
  await live.expectRequests(1);
  leaving.leave();
  live.step();
  await expectEvents([staying], 2);
  expect(leaving.events).toHaveLength(1);
});

test('a lost connection ends the polls, over SSE and over WebSocket', async () => {
  const live = await open({ env: ENV });
  const raw = await rawSubscriber(live);
  const socket = live.socket();
  await expectEvents([socket.subscribe(ASSETS), socket.subscribe(RATES)], 1);
  await live.expectRequests(2);
  raw.destroy();
  socket.destroy();
  await live.expectNoConnections();
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
});

test('a subscriber that leaves before the first poll is answered is forgotten', async () => {
  const live = await open({ env: ENV });
  const release = live.sandbox.fault({ kind: 'hold' });
  const all = [await live.sse(ASSETS), await live.sse(LAWS)];
  await expect.poll(() => live.sandbox.requests()).toHaveLength(2);
  for (const { leave } of all) leave();
  await live.expectNoConnections();
  release();
  await live.expectRequests(2);
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
});

test('a request of the Fetch API that is aborted ends the polls', async () => {
  const live = await open({ env: ENV });
  const leaving = new AbortController();
  const request = new Request(`${live.url}?${String(new URLSearchParams({ query: ASSETS }))}`, {
    headers: { accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  const reader = (await live.app.fetch(request)).body!.getReader();
  let text = '';
  while (!text.includes('"price"')) text += String(Buffer.from((await reader.read()).value!));
  leaving.abort();
  await expect(reader.read()).rejects.toThrow('aborted');
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
});

/** As many as may be in flight at the same time, and some that wait for their turn. */
const SEARCHES = Array.from({ length: 40 }, (_, i) => `search${i}`);
const IN_FLIGHT = 32;
const searchFor = (search: string) =>
  `subscription { legislationChangePublished(filter: { search: "${search}" }) { title } }`;

test('polls that wait for their turn are not sent once their subscribers have left', async () => {
  const live = await open({ env: ENV });
  const socket = live.socket();
  // The first answer tells the cost of a request: until it is there, others wait for it.
  const first = socket.subscribe(LAWS);
  await live.expectRequests(1);
  first.leave();
  const release = live.sandbox.fault({ kind: 'hold' });
  const leaving = SEARCHES.map((search) => socket.subscribe(searchFor(search)));
  await expect.poll(() => live.sandbox.requests()).toHaveLength(1 + IN_FLIGHT);
  const [shared, again] = ['search35', 'search37'];
  socket.subscribe(searchFor(shared));
  for (const { leave } of leaving) leave();
  socket.subscribe(searchFor(again));
  socket.subscribe(searchFor('last'));
  await socket.sync();
  release();
  const sent = () =>
    live.sandbox.requests().flatMap(({ path }) => /(?<=[?&]q=)\w+/.exec(path) ?? []);
  // Polls are sent in order: once the last is, no other waits.
  await expect.poll(sent).toEqual(expect.arrayContaining([again, 'last']));
  const inFlight = SEARCHES.slice(0, IN_FLIGHT);
  expect(new Set(sent())).toEqual(new Set([...inFlight, shared, again, 'last']));
});

/** A subscription that takes some milliseconds to validate, so that validation waits for its turn. */
const longSubscription = (name: string) => {
  const fields = Array.from({ length: 2000 }, (_, i) => `f${i}: price`);
  return `subscription ${name} { cryptoAssetsUpdated(symbols: ["BTC"]) { ${fields.join(' ')} } }`;
};

test('a subscriber that leaves before the reply has begun is forgotten', async () => {
  const live = await open({ env: ENV });
  const { hostname, port, host } = new URL(live.url);
  const leave = async (n: number) => {
    const body = JSON.stringify({ query: longSubscription(`Long${n}`) });
    const head = ['POST /graphql HTTP/1.1', `host: ${host}`, 'accept: text/event-stream'];
    head.push('content-type: application/json', `content-length: ${body.length}`, '', body);
    const socket = connectSocket(Number(port), hostname);
    socket.write(head.join('\r\n'), () => socket.destroy());
    await once(socket, 'close');
  };
  await Promise.all(Array.from({ length: 30 }, (_, n) => leave(n)));
  await live.expectNoConnections();
  // Its turn comes after those of all clients that have left.
  await live.ask(`{ __typename ${'a: __typename '.repeat(500)} }`);
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
});

test('stopping ends every subscription cleanly, and no more requests are sent', async () => {
  const live = await open({ env: ENV });
  const socket = live.socket();
  const all: Subscriber[] = [await live.sse(ASSETS), await live.sse(LAWS, {}, 'GET')];
  all.push(socket.subscribe(ASSETS), socket.subscribe(RATES));
  await expectEvents([all[0]!, all[2]!, all[3]!], 1);
  await live.expectRequests(3);
  live.app.stop();
  await Promise.all(all.map(({ ended }) => ended));
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
});

test('closing alone ends subscriptions, too', async () => {
  const live = await open({ env: ENV });
  const all = [await live.sse(ASSETS), live.socket().subscribe(RATES)];
  await expectEvents(all, 1);
  await live.expectRequests(2);
  await live.close();
  await Promise.all(all.map(({ ended }) => ended));
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
});

/** A timer left behind would keep the process alive for an hour. */
const HOUR = '3600';
const LONG_TTLS = { TTL_CRYPTO: HOUR, TTL_FX_RATES: HOUR, TTL_LEGISLATION: HOUR };

test.for(['after they have left', 'while they listen'])(
  'a process with subscribers ends, %s',
  async (when) => {
    const child = startProcess({ SANDBOX: '1', ...LONG_TTLS });
    const url = `${await child.url()}/graphql`;
    const socket = openSocket(url);
    const all = [await openSse(url, { query: ASSETS }), socket.subscribe(RATES)];
    all.push(socket.subscribe(LAWS), socket.subscribe(RELEASES));
    await expectEvents(all.slice(0, 2), 1);
    await socket.sync();
    if (when === 'after they have left') for (const { leave } of all) leave();
    child.child.kill('SIGTERM');
    expect(await child.exited).toEqual({ code: 0, signal: null });
  },
);
