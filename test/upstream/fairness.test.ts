import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRateLimiter } from '../../src/upstream/rate-limiter.ts';

/** The upstream's rate limit is shared between clients: many requests of one do not delay the others. */

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const monotonic = () => Date.now();

/** A limiter of one request a second, and the clients in the order in which they got permits. */
function opened(perSecond = 1) {
  const limiter = createRateLimiter({ perSecond, monotonic, maxInFlight: Infinity });
  const order: string[] = [];
  const ask = (name: string, count: number, clients: ReadonlySet<string> = new Set([name])) => {
    for (let i = 0; i < count; i += 1)
      void limiter.acquire(Infinity, clients).then(() => order.push(name));
  };
  return { ask, order };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a client with one request beside a flood of another client waits for one turn', async () => {
  const { ask, order } = opened();
  ask('attacker', 3000);
  await pass(0);
  ask('neighbor', 1);
  await pass(2 * 1050);
  expect(order).toEqual(['attacker', 'neighbor', 'attacker']);
});

test('clients are served in turn, each in order of arrival, without a pause', async () => {
  const { ask, order } = opened();
  ask('a', 4);
  ask('b', 2);
  ask('c', 3);
  await pass(9 * 1050);
  expect(order.join(' ')).toBe('a b c a b c a c a');
});

test('background polls come last, unless a client waits for the same', async () => {
  const { ask, order } = opened();
  const joined = new Set<string>();
  ask('a', 3);
  ask('poll', 1, new Set());
  ask('joined poll', 1, joined);
  await pass(1050);
  joined.add('b');
  await pass(5 * 1050);
  expect(order).toEqual(['a', 'a', 'joined poll', 'a', 'poll']);
});

test('ten thousand waiting requests get permits at once if there is no limit', async () => {
  const { ask, order } = opened(Infinity);
  ask('a', 10_000);
  await pass(0);
  expect(order).toHaveLength(10_000);
});
