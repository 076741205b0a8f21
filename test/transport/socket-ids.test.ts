import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { connect } from './raw-socket.ts';

/** Ids of operations on a WebSocket, which clients choose. */

const LIVE = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair } }';

test('a completed id may be reused at once, and denotes only the new operation', async () => {
  const env = { MAX_SUBSCRIPTIONS_PER_SOCKET: '1' };
  const { url, sandbox, get } = await open({ env, unreadUnits: { fx: 1, macro: 0, credits: 1 } });
  const release = sandbox.fault({ kind: 'hold', path: '/v1/fx' });
  const { ask, send, of } = await connect(url);
  ask('1', '{ fxRates { totalCount } }');
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  send({ type: 'complete', id: '1' });
  ask('1', 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { symbol } }');
  const crypto = { id: '1', payload: { data: { cryptoAssetsUpdated: [{ symbol: 'BTC' }] } } };
  await expect.poll(() => of('next')).toMatchObject([crypto]);
  release();
  await get('{ fxRates { totalCount } }');
  // Only one may be open: the next one is accepted because the first has really ended.
  send({ type: 'complete', id: '1' });
  ask('1', LIVE);
  await expect.poll(() => of('next')).toMatchObject([crypto, { id: '1' }]);
  expect([of('complete'), of('error')]).toEqual([[], []]);
});

test('an id in use cannot be used again', async () => {
  const { url } = await open({ unreadUnits: 1 });
  const { ask, socket } = await connect(url);
  const closed = new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve(`${code} ${reason.toString()}`));
  });
  ask('7', LIVE);
  ask('7', LIVE);
  expect(await closed).toBe('4409 Subscriber for 7 already exists');
});

test('an operation that is completed while it waits for another one spends nothing', async () => {
  const env = { MAX_OPERATIONS_PER_SOCKET: '1' };
  const { url, sandbox } = await open({ env, unreadUnits: 1 });
  const release = sandbox.fault({ kind: 'hold' });
  const { socket, ask, send, of } = await connect(url);
  const { _socket: stream } = socket as unknown as { _socket: Duplex };
  // All three arrive at once: later ones would not be read before the first is answered.
  stream.cork();
  ask('first', '{ fxRates { totalCount } }');
  ask('second', '{ macroCatalog { totalCount } }');
  send({ id: 'second', type: 'complete' });
  stream.uncork();
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  release();
  await expect.poll(() => of('complete')).toHaveLength(1);
  ask('third', '{ __typename }');
  await expect.poll(() => of('complete')).toHaveLength(2);
  expect(sandbox.requests()).toHaveLength(1);
});

test('an id of more than 256 characters, which every message would repeat, ends the socket', async () => {
  const { url } = await open();
  const { ask, of, socket } = await connect(url);
  ask('x'.repeat(256), '{ __typename }');
  await expect.poll(() => of('complete')).toHaveLength(1);
  const closed = new Promise((resolve) => void socket.once('close', resolve));
  ask('x'.repeat(257), '{ __typename }');
  expect(await closed).toBe(4400);
  expect(of('next')).toHaveLength(1);
});
