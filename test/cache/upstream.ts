import { z } from 'zod';
import type { Requests, Sources } from '../../src/cache/requests.ts';
import { parseJson } from '../../src/json.ts';
import type { Asked, Shared, StoredAnswer } from '../../src/shared/shared.ts';
import type { Answer, Endpoint } from '../../src/upstream/endpoint.ts';

/** An upstream in memory for unit tests of caches: a function gives its answers. */

/** An answer that another process has stored, and what reading it yields. */
export type Stored<A> = StoredAnswer & { brought: A };

type Ask<P, A> = (key: string, asked: P) => Promise<A>;

const endpoint: Endpoint<unknown> = {
  name: 'test',
  route: '/test',
  source: 'test',
  group: 'B',
  meter: 'credits',
  record: z.compile(z.unknown()),
  label: 'name',
  emptyOn404: true,
};

const answerAt = (retrievedAt: number, records: unknown[]): Answer<unknown> => ({
  origin: {
    source: 'test',
    asOf: '',
    license: null,
    upstreamCached: null,
    retrievedAt,
    timezone: null,
    timestamp: null,
  },
  records,
  cutShort: false,
  total: null,
  bytes: 0,
  warnings: [],
});

/** What a cache needs to send requests to `ask`, which is called when a request leaves. */
export function upstreamOf<P extends Asked, A>(
  ask: Ask<P, A>,
  shared?: Shared,
): { requests: Requests<string, P, A, unknown>; sources: Sources } {
  const client: Sources['client'] = {
    async fetch(_endpoint, target) {
      await new Promise(setImmediate);
      const left = await target();
      if (!left) return undefined;
      const [key = '', asked = ''] = left.path;
      const brought = await ask(key, parseJson(asked) as P);
      return {
        answer: answerAt(0, [brought]) as Answer<never>,
        text: { status: 200, body: '' },
        units: 1,
      };
    },
    read: (_endpoint, text) =>
      Promise.resolve(
        'brought' in text ? (answerAt(0, [text.brought]) as Answer<never>) : undefined,
      ),
    line: () => ({
      maxBytes: () => Infinity,
      bytesInTime: () => Infinity,
      ready: () => undefined,
      bytesPerRecord: () => undefined,
    }),
  };
  return {
    requests: {
      name: 'test',
      endpoint,
      keyOf: (key) => key,
      parseKey: (text) => text,
      target: (key, asked) => ({ path: [key, JSON.stringify(asked)] }),
      read: ({ records }) => records[0] as A,
    },
    sources: { client, shared, keepMs: 1000, leaseMs: 1000 },
  };
}
