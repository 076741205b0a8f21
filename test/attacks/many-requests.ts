import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Attack, Target } from './attack.ts';
import { ask, openRaw, openWebSocket, subscribe } from './connections.ts';

/** Weaknesses 6 and 7: requests upstream, by one subscription and by one client. */

const MAX_REQUESTS = 5;
const LISTEN_MS = 7000;

/** Subscribes over server-sent events and listens for a while. */
async function listen(target: Target, query: string, variables: object): Promise<void> {
  const body = JSON.stringify({ query, variables });
  const socket = await openRaw(target);
  const head = [
    'POST /graphql HTTP/1.1',
    `host: ${target.host}:${target.port}`,
    'accept: text/event-stream',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.resume().write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await sleep(LISTEN_MS, undefined, { signal: target.signal });
  socket.destroy();
}

async function pairsOf(target: Target): Promise<string[]> {
  const { text } = await ask(target, '{ fxRates(first: 100) { nodes { pair } } }');
  return [...text.matchAll(/"pair":"(\w{6})"/g)].map(([, pair = '']) => pair);
}

const unknownTicker = (i: number, length = 8) => `J${String(i).padStart(length - 1, '0')}`;

/** Asks questions that nobody has asked, over many connections at once, for a while. */
async function askOften(target: Target, connections: number): Promise<void> {
  const endsAt = performance.now() + LISTEN_MS;
  const one = async (id: number) => {
    for (let i = 0; performance.now() < endsAt && !target.signal.aborted; i += 1) {
      const search = `attack ${id} ${i}`;
      const query = `{ legislationChanges(filter: { search: "${search}" }) { totalCount } }`;
      const { status } = await ask(target, query);
      if (status !== 200) await sleep(100);
    }
  };
  const timeout = sleep(LISTEN_MS + 1000);
  await Promise.race([
    Promise.all(Array.from({ length: connections }, (_, id) => one(id))),
    timeout,
  ]);
}

async function subscribeOften(target: Target, sockets: number, perSocket: number): Promise<void> {
  const all = [];
  for (let i = 0; i < sockets; i += 1) {
    const { socket } = await openWebSocket(target);
    all.push(socket.resume());
    for (let k = 0; k < perSocket; k += 1) {
      const filter = `filter: { search: "attack ${i} ${k}" }`;
      const query = `subscription { legislationChangePublished(${filter}) { id } }`;
      if (!socket.destroyed) socket.write(subscribe(String(k), query));
    }
  }
  await sleep(LISTEN_MS, undefined, { signal: target.signal });
  for (const socket of all) socket.destroy();
}

export const manyRequests: Attack[] = [
  {
    name: '6 a subscription of 6,000 symbols',
    env: { TTL_CRYPTO: '1', MAX_UPSTREAM_REQUESTS_PER_OPERATION: String(MAX_REQUESTS) },
    isOneOperation: true,
    run: async (target) => {
      const symbols = Array.from({ length: 6000 }, (_, i) => unknownTicker(i));
      const query =
        'subscription($s: [String!]!) { cryptoAssetsUpdated(symbols: $s) { symbol price } }';
      await listen(target, query, { s: symbols });
      const polls = LISTEN_MS / 1000 + 2;
      const { '/crypto/prices': sent = 0 } = await target.requests();
      expect(sent).toBeLessThanOrEqual(polls * MAX_REQUESTS);
    },
  },
  {
    name: '6 a subscription with a request for each object',
    env: {
      TTL_FX_RATES: '1',
      TTL_FX_HISTORY: '0',
      TTL_SETTLED_DAYS: '0',
      MAX_UPSTREAM_REQUESTS_PER_OPERATION: String(MAX_REQUESTS),
    },
    run: async (target) => {
      const pairs = await pairsOf(target);
      expect(pairs.length).toBeGreaterThan(3 * MAX_REQUESTS);
      const query =
        'subscription($p: [CurrencyPair!]!) { fxRatesUpdated(pairs: $p) { pair history { latest { value } } } }';
      await listen(target, query, { p: pairs });
      const sent = Object.entries(await target.requests())
        .filter(([path]) => path.endsWith('/history'))
        .map(([, count]) => count);
      // The data move every 5 seconds: at most two events, and the first.
      expect(sent.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(3 * MAX_REQUESTS);
    },
  },
  {
    name: '7 150 connections and a limit per second',
    upstream: { requestsPerSecond: 5 },
    env: { GROUP_B_REQUESTS_PER_SECOND: '5' },
    run: (target) => askOften(target, 150),
  },
  {
    name: '7 3,000 subscriptions and a limit per second',
    upstream: { requestsPerSecond: 5 },
    env: { GROUP_B_REQUESTS_PER_SECOND: '5', TTL_LEGISLATION: '1' },
    run: (target) => subscribeOften(target, 30, 100),
  },
];
