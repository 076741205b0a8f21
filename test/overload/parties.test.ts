import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { openKeys } from '../keys/clients.ts';
import { endOf, LIVE, listen, socketOf } from '../keys/listening.ts';
import { expectEvents } from '../live/gateway.ts';

/** A client that floods the gateway takes its own share of places, subscriptions and sockets, not that of others. */

const TYPE = '{ __typename }';

const cold = (i: number) => `{ fxRate(pair: "${PAIRS[i]}") { history { change } } }`;

test('a client takes at most half of the free places', async () => {
  const { bench, ask } = await openKeys([{ name: 'flood' }, { name: 'steady' }], {
    env: { MAX_OPERATIONS: '8' },
  });
  await ask('steady', '{ fxRates { totalCount } }');
  const release = bench.sandbox.fault({ kind: 'hold', path: '/v1/fx/rates/' });
  const statuses: number[] = [];
  const flood = Array.from({ length: 10 }, (_, i) =>
    ask('flood', cold(i)).then(({ status }) => void statuses.push(status)),
  );
  await expect.poll(() => statuses).toEqual(Array.from({ length: 6 }, () => 503));
  const steady = [ask('steady', cold(10)), ask('steady', cold(11))];
  await expect.poll(() => bench.sandbox.requests().length).toBe(7);
  release();
  for (const { status, errors } of await Promise.all(steady))
    expect([status, errors]).toEqual([200, []]);
  await Promise.all(flood);
  expect(statuses.slice(6)).toEqual([200, 200, 200, 200]);
});

test('a client may have as many subscriptions open as it leaves to others', async () => {
  const keys = await openKeys([{ name: 'flood' }, { name: 'steady' }], {
    env: { MAX_SUBSCRIPTIONS: '8' },
    unreadUnits: 1,
  });
  const { bench, headersOf } = keys;
  const socket = socketOf(keys, 'flood');
  const flood = [await listen(bench.url, headersOf('flood'))];
  await expectEvents(flood, 1);
  for (let i = 0; i < 3; i += 1) {
    flood.push(socket.subscribe(LIVE));
    await expectEvents(flood, 1);
  }
  const more = [socket.subscribe(LIVE), await listen(bench.url, headersOf('flood'))];
  const [bySocket, byStream] = [await more[0]!.ended, (await more[1]!.ended, more[1]!.events[0])];
  const refused = [{ extensions: { code: 'TOO_MANY_SUBSCRIPTIONS', retryable: true } }];
  expect([bySocket, byStream?.errors]).toMatchObject([refused, refused]);
  expect(byStream?.errors[0]?.message).toContain('4 of them yours');
  const steady = [await listen(bench.url, headersOf('steady'))];
  await expectEvents(steady, 1);
  steady.push(await listen(bench.url, headersOf('steady')));
  await expectEvents(steady, 1);
});

test('a client may have as many sockets open as it leaves to others', async () => {
  const env = { MAX_SOCKETS: '8' };
  const keys = await openKeys([{ name: 'flood' }, { name: 'steady' }], { env, unreadUnits: 1 });
  const listenBy = (client: string) => socketOf(keys, client).subscribe(LIVE);
  const flood = Array.from({ length: 4 }, () => listenBy('flood'));
  await expectEvents(flood, 1);
  expect(await endOf(listenBy('flood'))).toBe(1013);
  await expectEvents([listenBy('steady'), listenBy('steady')], 1);
  flood[0]!.leave();
  await expect.poll(() => endOf(socketOf(keys, 'flood').subscribe(TYPE))).toBe(1013);
  flood[1]!.leave();
  await expect.poll(() => endOf(socketOf(keys, 'flood').subscribe(TYPE))).toBe(undefined);
});

test("sockets that have not yet sent a key take nothing from a client's share", async () => {
  const { bench, headersOf } = await openKeys([{ name: 'mobile' }], { env: { MAX_SOCKETS: '10' } });
  const sockets = Array.from(
    { length: 10 },
    () => new WebSocket(bench.url.replace('http', 'ws'), 'graphql-transport-ws'),
  );
  onTestFinished(() => sockets.forEach((socket) => socket.terminate()));
  await Promise.all(sockets.map((socket) => once(socket, 'open')));
  const init = JSON.stringify({ type: 'connection_init', payload: headersOf('mobile') });
  const ends: unknown[] = [];
  for (const socket of sockets.slice(3)) {
    socket.once('message', () => ends.push('served'));
    socket.once('close', (code) => ends.push(code));
    socket.send(init);
  }
  const count = (end: unknown) => ends.filter((one) => one === end).length;
  await expect.poll(() => [count('served'), count(1013)]).toEqual([5, 2]);
});
