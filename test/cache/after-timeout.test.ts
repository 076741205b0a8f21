import { expect, test } from 'vitest';
import { createDayRange } from '../../src/cache/day-range.ts';
import { createStore } from '../../src/cache/store.ts';
import { parseJson } from '../../src/json.ts';
import type { Asked, Shared } from '../../src/shared/shared.ts';
import type { Span } from '../../src/time.ts';
import { MarketError } from '../../src/upstream/errors.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { originAt } from './days.ts';
import { unstretched } from './unstretched.ts';
import { upstreamOf } from './upstream.ts';

/** What is asked for, besides days 10 to 12, by another process that waits for our request. */
const OTHERS = { start: 5, end: 40 };

test('what other processes wait for is asked for, too, but not again once that took too long', async () => {
  const claimed: Asked[] = [];
  const shared: Shared = {
    read: () => [],
    recent: () => [],
    claim(_key, wanted) {
      claimed.push(wanted);
      return { isOurs: true, asked: OTHERS, land: () => undefined, release: () => undefined };
    },
    note: () => undefined,
    notes: () => [],
    close: () => Promise.resolve(),
  };
  const asked: unknown[] = [];
  const { requests, sources } = upstreamOf<Span, ReturnType<typeof answerOf>>(
    (_key, { start, end }) => Promise.resolve(answerOf({ start, end })),
    shared,
  );
  const timedOut = new MarketError('UPSTREAM_TIMEOUT', { group: 'B' });
  const client: typeof sources.client = {
    ...sources.client,
    async fetch(endpoint, target, operation) {
      asked.push(parseJson((await target())?.path[1] ?? ''));
      return sources.client.fetch(
        endpoint,
        async () => {
          const left = await target(timedOut);
          asked.push(parseJson(left?.path[1] ?? ''));
          return left;
        },
        operation,
      );
    },
  };
  const range = createDayRange({
    dayAt: () => 0,
    namespace: createStore(1e9).namespace(),
    monotonic: () => 0,
    aging: unstretched(() => 0),
    now: () => 0,
    maxBytes: 1e6,
    dayOf: (day: number) => day,
    freshFor: () => 10,
    prefetch: () => undefined,
    requests,
    sources: { ...sources, client },
  });
  const wanted = { start: 10, end: 12 };
  const operation = startOperation({ maxRequests: 100, deadline: Infinity });
  const [answer] = await range.load('key', [wanted], operation);
  expect(answer).toMatchObject({ value: [10, 11, 12] });
  expect(claimed).toEqual([wanted, wanted]);
  expect(asked).toMatchObject([OTHERS, wanted]);
});

function answerOf({ start, end }: Span) {
  const records = Array.from({ length: end - start + 1 }, (_, i) => start + i);
  const total = records.length;
  return { origin: originAt(0), records, cutShort: false, total, bytes: 1000, warnings: [] };
}
