import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen, silentUpstream } from '../silent-upstream.ts';
import { open } from './opened.ts';

/** Requests that have not ended when the gateway stops, and what they count as. */

/** More failures in a row than open the circuit. */
const REQUESTS = 6;
const TIMEOUT_MS = 60_000;

/** Starts a server that accepts connections, and never answers the handshake for TLS. */
async function withoutHandshake() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  return { url: `https://${await listen(server)}`, reached: () => sockets.length };
}

test('requests that were still connecting when the gateway stops count as nothing, and as no outage', async () => {
  const { url, reached } = await withoutHandshake();
  const { ask, client, ledger } = await open({ groupB: { baseUrl: url }, timeoutMs: TIMEOUT_MS });
  const asked = Array.from({ length: REQUESTS }, () => ask('crypto'));
  await expect.poll(reached).toBe(REQUESTS);
  expect(ledger.states().credits.usedThisMonth).toBe(REQUESTS);
  await client.close(0);
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['UPSTREAM_UNAVAILABLE']));
  expect(ledger.states().credits.usedThisMonth).toBe(0);
  // Its siblings, which go on, would take over that the circuit is open.
  expect(client.states().B.isUp).toBe(true);
});

test('requests that were sent and not answered when the gateway stops stay counted', async () => {
  const { url, charged } = await silentUpstream();
  const { ask, client, ledger } = await open({ groupB: { baseUrl: url }, timeoutMs: TIMEOUT_MS });
  const asked = Array.from({ length: REQUESTS }, () => ask('crypto'));
  await expect.poll(charged).toBe(REQUESTS);
  await client.close(0);
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['UPSTREAM_UNAVAILABLE']));
  expect(ledger.states().credits.usedThisMonth).toBe(REQUESTS);
});
