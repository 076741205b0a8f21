import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { connect, type Env } from './raw-socket.ts';

/** What WebSockets may consume, and which pages may open them. */

/** Some 400 KB an answer. */
const FIELDS = Array.from({ length: 40 }, (_, i) => `f${i}: name`).join(' ');
const LARGE = `{ cryptoAssets(first: 500) { nodes { id ${FIELDS} } } }`;
const LIVE = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair } }';

test('a page of another site opens no WebSocket, unless it is listed', async () => {
  const { url, log } = await open({ env: { CORS_ORIGINS: 'https://listed.example' } });
  const status = async (headers: Env) => (await connect(url, headers)).status;
  expect(await status({ origin: 'https://evil.example' })).toBe(403);
  expect(await status({ origin: 'null' })).toBe(403);
  expect(await status({ origin: 'https://listed.example' })).toBe(101);
  expect(await status({ origin: new URL(url).origin })).toBe(101);
  expect(await status({})).toBe(101);
  expect(log()).not.toContain('WebSocket');
});

test('of many messages that arrive at once, the event loop takes one at a time', async () => {
  const { url } = await open();
  const { ask, of } = await connect(url);
  let turns = 0;
  for (let i = 0; i < 300; i += 1) ask(String(i), `{ a${i}: __typename }`);
  for (; of('complete').length < 300; turns += 1) await setImmediate();
  expect(of('next')).toHaveLength(300);
  expect(turns).toBeGreaterThanOrEqual(300);
});

test('a large answer is the same as over HTTP, and a failed one says why', async () => {
  const { url, get } = await open();
  const data = await get(LARGE);
  const { ask, of } = await connect(url);
  ask('right', LARGE);
  ask('wrong', '{ nothing }');
  ask('failed', '{ macroSeries(code: "") { code } }');
  // The other one may overtake the large one.
  const ids = () => new Set(of('complete').map(({ id }) => id));
  await expect.poll(ids).toEqual(new Set(['failed', 'right']));
  const byId = (wanted: string) => of('next').find(({ id }) => id === wanted);
  expect(byId('right')).toMatchObject({ payload: { data, extensions: { usage: {} } } });
  expect(byId('failed')).toMatchObject({
    payload: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }], data: { macroSeries: null } },
  });
  expect(of('error')).toMatchObject([{ id: 'wrong', payload: [{}] }]);
});

test('700 operations on a socket that never reads do not pile up', async () => {
  const { url, ask, log } = await open({ env: { MAX_SOCKET_BUFFER_BYTES: '2000000' } });
  await ask(LARGE);
  const { socket, ask: askBy } = await connect(url);
  const before = process.memoryUsage().rss;
  socket.pause();
  for (let i = 0; i < 700; i += 1) askBy(String(i), LARGE);
  await ask('{ __typename }');
  for (let i = 0; i < 50; i += 1) await ask('{ fxRate(pair: "USDTRY") { pair } }');
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  expect(log()).not.toContain('protocol error');
});

test('if too many bytes wait in all, only clients that do not read are cut off', async () => {
  const { url, ask, log } = await open({ env: { MAX_SOCKETS_BUFFER_BYTES: '2000000' } });
  await ask(LARGE);
  const idle = await connect(url);
  const unread = await Promise.all(Array.from({ length: 6 }, () => connect(url)));
  for (const { socket, ask: askBy } of unread) {
    socket.pause();
    for (let i = 0; i < 60; i += 1) askBy(String(i), LARGE);
  }
  await expect.poll(log).toContain('not reading');
  for (const { socket } of unread) socket.resume();
  await Promise.race(unread.map(({ closed }) => closed));
  idle.ask('still', '{ __typename }');
  await expect.poll(() => idle.of('next')).toHaveLength(1);
});

test('a large answer cuts nobody off if nothing else waits', async () => {
  const { url, ask } = await open({ env: { MAX_SOCKETS_BUFFER_BYTES: '10000' } });
  await ask(LARGE);
  const idle = await connect(url);
  const reader = await connect(url);
  // More than the system's own buffers take.
  reader.socket.pause();
  for (let i = 0; i < 30; i += 1) reader.ask(String(i), LARGE);
  for (let i = 0; i < 30; i += 1) await ask(LARGE);
  reader.socket.resume();
  await expect.poll(() => reader.of('complete')).toHaveLength(30);
  expect(idle.socket.readyState).toBe(WebSocket.OPEN);
});

test('an answer of any length is sent if nothing waits ahead of it', async () => {
  const { url, ask } = await open({ env: { MAX_SOCKET_BUFFER_BYTES: '1000' } });
  await ask(LARGE);
  const reader = await connect(url);
  reader.ask('1', LARGE);
  await expect.poll(() => reader.of('complete')).toHaveLength(1);
});

test('700 operations of a client that reads are all answered, in their turn', async () => {
  const { url } = await open();
  const { ask, of } = await connect(url);
  for (let i = 0; i < 700; i += 1) ask(String(i), '{ __typename }');
  await expect.poll(() => of('complete').length).toBe(700);
  expect(of('next').map(({ id }) => id)).toEqual(Array.from({ length: 700 }, (_, i) => String(i)));
});

test('subscriptions on one socket are limited: further ones are refused, and the socket stays open', async () => {
  const { url, sandbox } = await open({
    env: { MAX_SUBSCRIPTIONS_PER_SOCKET: '3' },
    unreadUnits: 1,
  });
  const { ask, send, of } = await connect(url);
  for (let i = 0; i < 1000; i += 1) ask(String(i), LIVE);
  await expect.poll(() => of('error').length).toBe(997);
  expect(of('error')[0]?.payload).toMatchObject([
    { extensions: { code: 'TOO_MANY_SUBSCRIPTIONS' } },
  ]);
  await expect.poll(() => of('next').length).toBe(3);
  send({ id: '0', type: 'complete' });
  ask('again', LIVE);
  await expect.poll(() => of('next').at(-1)?.id).toBe('again');
  expect(sandbox.spent().fx).toBe(1);
});

test('subscriptions that begin at the same moment do not pass the limit of all', async () => {
  const { url, sandbox } = await open({ env: { MAX_SUBSCRIPTIONS: '2' }, unreadUnits: 1 });
  const { ask, send, of } = await connect(url);
  for (let i = 0; i < 10; i += 1) ask(String(i), LIVE);
  // Those that are noticed only when they are read end with the error; the others do not begin.
  const isServed = ({ payload }: { payload?: unknown }) => JSON.stringify(payload).includes('data');
  const ended = () => [...of('error'), ...of('next').filter((message) => !isServed(message))];
  await expect.poll(() => ended().length).toBe(8);
  for (const { payload } of ended())
    expect(JSON.stringify(payload)).toContain('"code":"TOO_MANY_SUBSCRIPTIONS"');
  await expect.poll(() => of('next').filter(isServed).length).toBe(2);
  send({ id: of('next').find(isServed)!.id!, type: 'complete' });
  ask('again', LIVE);
  await expect.poll(() => of('next').at(-1)?.id).toBe('again');
  expect(sandbox.spent().fx).toBe(1);
});

test('WebSockets of one address, and of all, are limited; one that ends makes room', async () => {
  const perAddress = await open({ env: { MAX_SOCKETS_PER_ADDRESS: '2' } });
  const inAll = await open({ env: { MAX_SOCKETS: '2' } });
  for (const [{ url }, status] of [
    [perAddress, 429],
    [inAll, 503],
  ] as const) {
    const first = await connect(url);
    await connect(url);
    expect((await connect(url)).status).toBe(status);
    first.socket.close();
    await first.closed;
    await expect.poll(async () => (await connect(url)).status).toBe(101);
  }
});

test('twenty unreadable messages end their sockets with fewer than five lines in the log', async () => {
  const { url, log } = await open();
  for (let i = 0; i < 20; i += 1) {
    const { socket, closed } = await connect(url);
    socket.send('{"type":"nonsense"}');
    socket.send('{');
    await closed;
  }
  expect(
    log()
      .split('\n')
      .filter((line) => line.includes('WebSocket')).length,
  ).toBeLessThan(5);
});
