import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openSocket } from '../live/socket.ts';
import { openSse } from '../live/sse.ts';
import { NO_SERVER } from '../shared/valkey-server.ts';
import { NO_NGINX } from './nginx.ts';
import { startReplicas } from './replicas.ts';

/** Two gateways, a Valkey or Redis server, and nginx in front of them with deploy/nginx.conf. */

const RATE = '/graphql?query=%7BfxRate(pair:%22USDTRY%22)%7Bmid%7D%7D';
const CLIENTS = 8;

const outcomeOf = async (response: Response) => {
  const text = await response.text();
  return response.status === 200 && text.includes('"data":{') ? 'served' : `${response.status}`;
};

describe.skipIf(NO_NGINX || NO_SERVER)('behind nginx', () => {
  test('a GET with a fresh answer is served even without any gateway', async () => {
    const { url, sandbox, stop } = await startReplicas();
    const get = (headers: Record<string, string> = {}) =>
      fetch(url + RATE, { headers: { accept: 'application/json', ...headers } });
    const first = await get();
    expect(first.headers.get('x-cache')).toBe('MISS');
    // Clients ask nginx each time: only nginx knows how old the answer is.
    expect(first.headers.get('cache-control')).toBe('public, no-cache');
    const text = await first.text();
    await Promise.all([stop(0), stop(1)]);
    const second = await get();
    expect([second.status, second.headers.get('x-cache')]).toEqual([200, 'HIT']);
    expect(await second.text()).toBe(text);
    const etag = first.headers.get('etag') ?? '';
    const third = await get({ 'if-none-match': etag });
    expect([third.status, third.headers.get('x-cache')]).toEqual([304, 'HIT']);
    // Another form of the answer, or a request that the cache may not answer, is not in it.
    expect((await get({ accept: 'application/graphql-response+json' })).status).toBe(502);
    expect((await get({ 'x-usage-dry-run': '1' })).status).toBe(502);
    expect(sandbox.requests()).toHaveLength(1);
  });

  test('answers to clients that accept events, too, are cached', async () => {
    const { url } = await startReplicas();
    // What urql sends with each query.
    const accept =
      'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';
    const replies = [];
    for (const _ of [1, 2]) replies.push(await fetch(url + RATE, { headers: { accept } }));
    expect(replies.map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT']);
  });

  test('answers to URLs as long as the gateway accepts are cached, too', async () => {
    const { url } = await startReplicas();
    const long = `${url}${RATE}%23${'long'.repeat(3500)}`;
    const replies = [await fetch(long), await fetch(long)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies.map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'HIT']);
  });

  test('browsers cache the files of the Studio for good', async () => {
    const { url } = await startReplicas();
    const page = await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } });
    const [, file = ''] = /src="\.(\/graphql\/studio\/[^"]+\.js)"/.exec(await page.text()) ?? [];
    const { headers } = await fetch(url + file);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('events and WebSockets pass through at once, and end cleanly when the gateways stop', async () => {
    const { url, stop } = await startReplicas();
    const query = 'subscription { fxRatesUpdated(pairs: ["USDTRY"]) { pair } }';
    const socket = openSocket(`${url}/graphql`);
    const streams = [
      await openSse(`${url}/graphql`, { query }),
      await openSse(`${url}/graphql`, { query }, 'GET'),
      await openSse(`${url}/graphql`, { query }, 'GET'),
      socket.subscribe(query),
    ];
    for (const { events } of streams) await expect.poll(() => events.length).toBe(1);
    await Promise.all([stop(0), stop(1)]);
    for (const { ended } of streams) await ended;
  });

  test('gateways that are replaced one after the other lose no request', async () => {
    const { url, sandbox, restart } = await startReplicas();
    const outcomes = new Map<string, number>();
    const over = new AbortController();
    const ask = (n: number) =>
      n % 2 === 0
        ? fetch(`${url}/graphql?query=%7B__typename%20n${n}:__typename%7D`)
        : fetch(`${url}/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query: `{ n${n}: fxRate(pair: "USDTRY") { mid } }` }),
          });
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let i = 0; !over.signal.aborted; i += 1) {
        const outcome = await ask(i * CLIENTS + client).then(outcomeOf, String);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    });
    for (const i of [0, 1]) {
      await restart(i);
      await pause(200);
    }
    over.abort();
    await Promise.all(clients);
    expect([...outcomes.keys()]).toEqual(['served']);
    expect(outcomes.get('served')).toBeGreaterThan(100);
    // All others know what one gateway has requested.
    expect(sandbox.requests().length).toBeLessThanOrEqual(2);
  });
});
