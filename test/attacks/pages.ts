import { expect } from 'vitest';
import type { Attack, Target } from './attack.ts';
import { type AskOptions, openWebSocket, send, subscribe, waitForMatch } from './connections.ts';

/** Weakness 1: other people's web pages. None of their operations runs, and nothing is spent. */

const QUERY = '{ macroCatalog(first: 1) { totalCount } }';
const CROSS_SITE = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
const CODE = 'FORBIDDEN_ORIGIN';

async function expectNothingSpent(target: Target): Promise<void> {
  expect((await target.requests())['/v1/macro/catalog'] ?? 0).toBe(0);
}

async function expectRefused(target: Target, body: string, options: AskOptions): Promise<void> {
  const { text, status } = await send(target, body, options);
  await expectNothingSpent(target);
  expect({ status, text }).toMatchObject({ text: expect.stringContaining(CODE) });
}

const path = `/graphql?query=${encodeURIComponent(QUERY)}`;
const form = new URLSearchParams({ query: QUERY }).toString();

export const pages: Attack[] = [
  {
    name: '1 cross-site GET, as of an image',
    run: async (target) => {
      const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
      await expectRefused(target, '', { method: 'GET', path, headers });
      await expectRefused(target, '', { method: 'GET', path, headers: CROSS_SITE });
    },
  },
  {
    name: '1 cross-site POST of a form',
    run: async (target) => {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      await expectRefused(target, form, { headers: { ...CROSS_SITE, ...type } });
      const plain = { 'content-type': 'text/plain' };
      await send(target, JSON.stringify({ query: QUERY }), {
        headers: { ...CROSS_SITE, ...plain },
      });
      await expectNothingSpent(target);
    },
  },
  {
    name: '1 WebSocket of a foreign page',
    run: async (target) => {
      const { socket } = await openWebSocket(target, CROSS_SITE);
      if (!socket.destroyed) {
        socket.write(subscribe('1', QUERY));
        await waitForMatch(socket, /"type":"(complete|error)"/);
        socket.destroy();
      }
      await expectNothingSpent(target);
    },
  },
  {
    name: '1 foreign name of the own address (DNS rebinding)',
    run: async (target) => {
      const { status } = await send(target, JSON.stringify({ query: QUERY }), {
        headers: { host: `evil.example:${target.port}` },
      });
      await expectNothingSpent(target);
      expect(status).toBeGreaterThanOrEqual(400);
    },
  },
];
