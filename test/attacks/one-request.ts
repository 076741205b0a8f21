import { expect } from 'vitest';
import { z } from 'zod';
import type { Attack, Target } from './attack.ts';
import { type Answer, ask, codesIn, openRaw, write } from './connections.ts';

/** Weaknesses 2 to 4: one request that is too large. */

const MAX_ANSWER_BYTES = 17 * 1024 * 1024;
const TOO_LARGE = 'OPERATION_TOO_LARGE';

const idsOf = z.object({
  data: z.record(z.string(), z.object({ nodes: z.array(z.object({ id: z.string() })) })),
});

async function ids(target: Target, list: string): Promise<string[]> {
  const { text } = await ask(target, `{ ${list}(first: 500) { nodes { id } } }`);
  return Object.values(idsOf.parse(JSON.parse(text)).data).flatMap(({ nodes }) =>
    nodes.map(({ id }) => id),
  );
}

const aliases = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `a${i}:${field(i)}`).join(' ');

/** Expects that the operation was refused, or ended at a bound with a part of the answer left out. */
function expectBounded(answer: Answer): void {
  expect(answer.bytes).toBeLessThan(MAX_ANSWER_BYTES);
  expect(codesIn(answer)).toContain(TOO_LARGE);
}

/** 500 times the same object: one request upstream, and 500 objects in the answer. */
async function histories(target: Target, count: number, start: string): Promise<void> {
  const history = aliases(count, () => `history(start:"${start}"){points{date value}}`);
  const query = `query($ids:[ID!]!){nodes(ids:$ids){...on FxRate{${history}}}}`;
  const sameIds = Array.from({ length: 500 }, () => 'FxRate:USDTRY');
  expectBounded(await ask(target, query, { ids: sameIds }));
}

async function emptyPairs(target: Target, pairs: number, count: number): Promise<void> {
  const fields = aliases(count, () => 'fxRates(filter:$f){totalCount}');
  const query = `query($f:FxRateFilter){${fields}}`;
  const answer = await ask(target, query, {
    f: { pairs: Array.from({ length: pairs }, () => '') },
  });
  expect(answer.status).toBeGreaterThan(0);
  expect(answer.bytes).toBeLessThan(1024 * 1024);
  expect(codesIn(answer).length).toBeGreaterThan(0);
  expect(codesIn(answer), 'the document itself is no reason').not.toContain('GRAPHQL_PARSE_FAILED');
}

async function emptySymbols(target: Target, symbols: number, count: number): Promise<void> {
  const fields = aliases(count, () => 'cryptoAssets(filter:$f){totalCount}');
  const query = `query($f:CryptoAssetFilter){${fields}}`;
  const answer = await ask(target, query, {
    f: { symbols: Array.from({ length: symbols }, () => '') },
  });
  expect(answer.status).toBeGreaterThan(0);
  expect(answer.bytes).toBeLessThan(1024 * 1024);
  expect(codesIn(answer).length).toBeGreaterThan(0);
  expect(codesIn(answer), 'the document itself is no reason').not.toContain('GRAPHQL_PARSE_FAILED');
}

const ENDLESS_BYTES = 64 * 1024 * 1024;
const MAX_BUFFERED_BYTES = 24 * 1024 * 1024;

/** Writes until the gateway hangs up; returns how many bytes it took. */
async function endlessBody(target: Target): Promise<number> {
  const socket = await openRaw(target);
  const data = Buffer.alloc(64 * 1024, 'a');
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), data, Buffer.from('\r\n')]);
  socket.resume();
  const head = `POST /graphql HTTP/1.1\r\nhost: ${target.host}:${target.port}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
  await write(socket, Buffer.from(head));
  let sent = 0;
  while (!socket.destroyed && sent < ENDLESS_BYTES) {
    await write(socket, chunk);
    sent += data.length;
  }
  socket.destroy();
  return sent;
}

export const oneRequest: Attack[] = [
  {
    name: '2 nodes of 500 ids with 240 histories',
    isOneOperation: true,
    run: (target) => histories(target, 240, '2016-01-01'),
  },
  {
    name: '2 nodes of 500 ids with 8 histories since 1930',
    isOneOperation: true,
    run: (target) => histories(target, 8, '1930-01-01'),
  },
  {
    name: '2 nodes of 500 ids with 3,000 summaries',
    isOneOperation: true,
    run: async (target) => {
      const found = await ids(target, 'legislationChanges');
      const many = aliases(3000, () => 'summary');
      const query = `query($ids:[ID!]!){nodes(ids:$ids){...on LegislationChange{${many}}}}`;
      expectBounded(await ask(target, query, { ids: found }));
    },
  },
  {
    name: '2 nodes of 500 wrong ids under 100 aliases',
    isOneOperation: true,
    run: async (target) => {
      const wrong = Array.from({ length: 500 }, (_, i) => `wrong ${i}`);
      const query = `query($ids:[ID!]!){${aliases(100, () => 'nodes(ids: $ids) { id }')}}`;
      expectBounded(await ask(target, query, { ids: wrong }));
    },
  },
  {
    name: '3 7,000 empty pairs under 800 aliases',
    isOneOperation: true,
    run: (target) => emptyPairs(target, 7000, 800),
  },
  {
    name: '3 330,000 empty pairs',
    isOneOperation: true,
    run: (target) => emptyPairs(target, 330_000, 1),
  },
  {
    name: '3 7,000 empty symbols under 800 aliases',
    isOneOperation: true,
    run: (target) => emptySymbols(target, 7000, 800),
  },
  {
    name: '3 330,000 empty symbols',
    isOneOperation: true,
    run: (target) => emptySymbols(target, 330_000, 1),
  },
  {
    name: '4 a name of 500 kB in 100 errors',
    isOneOperation: true,
    run: async (target) => {
      const variables = aliases(150, () => 'Int').replaceAll('a', '$a');
      const query = `query ${'n'.repeat(500_000)}(${variables}){__typename}`;
      const { status, bytes } = await ask(target, query);
      expect(status).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(100_000);
    },
  },
  {
    name: '4 a chunked body without an end',
    isOneOperation: true,
    run: async (target) => {
      expect(await endlessBody(target)).toBeLessThan(MAX_BUFFERED_BYTES);
    },
  },
  {
    name: '4 200,000 invalid records of the upstream',
    upstream: { invalidRecords: 200_000 },
    isOneOperation: true,
    run: async (target) => {
      const { status, bytes } = await ask(target, '{ calendarEvents { totalCount } }');
      expect(status).toBe(200);
      expect(bytes).toBeLessThan(100_000);
    },
  },
];
