import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { connect } from './raw-socket.ts';

/** Pings of a client over a WebSocket, and the gateway's answers. */

/** Some 400 KB an answer. */
const FIELDS = Array.from({ length: 40 }, (_, i) => `f${i}: name`).join(' ');
const LARGE = `{ cryptoAssets(first: 500) { nodes { id ${FIELDS} } } }`;

test.for(['of the protocol', 'of WebSocket'])(
  'a flood of pings %s ends the socket',
  async (kind) => {
    const { url, log } = await open();
    const { socket, send, of, closed } = await connect(url);
    for (let i = 0; i < 10_000; i += 1)
      if (kind === 'of WebSocket') socket.ping(undefined, undefined, () => undefined);
      else send({ type: 'ping', payload: { i } });
    await closed;
    expect(of('pong').length).toBeLessThan(101);
    expect(
      log()
        .split('\n')
        .filter((line) => line.includes('WebSocket')).length,
    ).toBeLessThan(3);
  },
);

test('a client that does not read gets no pongs, and is not cut off for them', async () => {
  const { url, ask, log } = await open({ env: { MAX_SOCKET_BUFFER_BYTES: '1000000' } });
  const { socket, send, ask: askBy, of } = await connect(url);
  socket.pause();
  // More than the system's own buffers take.
  for (let i = 0; i < 50; i += 1) send({ type: 'ping', payload: { x: 'x'.repeat(500_000) } });
  for (let i = 0; i < 50; i += 1) await ask('{ __typename }');
  socket.resume();
  askBy('still', '{ __typename }');
  await expect.poll(() => of('complete')).toHaveLength(1);
  expect(of('pong').length).toBeLessThan(50);
  expect(log()).not.toContain('not reading');
});

test('a ping that comes while an answer is being read is answered after it', async () => {
  const { url, ask } = await open();
  await ask(LARGE);
  const { socket, send, ask: askBy, of } = await connect(url);
  socket.pause();
  for (let i = 0; i < 50; i += 1) askBy(String(i), LARGE);
  send({ type: 'ping', payload: { at: 1 } });
  for (let i = 0; i < 50; i += 1) await ask('{ __typename }');
  socket.resume();
  await expect.poll(() => of('pong')).toHaveLength(1);
});

test('a ping is answered with its payload', async () => {
  const { url } = await open();
  const { send, of } = await connect(url);
  send({ type: 'ping', payload: { at: 1 } });
  await expect.poll(() => of('pong')).toEqual([{ type: 'pong', payload: { at: 1 } }]);
});
