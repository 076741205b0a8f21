import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fresh, openPoller as open, TTL_MS } from './poller.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a failed poll is repeated after 5 seconds, and listeners do not notice', async () => {
  const { seen, listen } = open((count) => {
    if (count === 2) throw new Error('down');
    return fresh(count);
  });
  const { values } = listen();
  await pass(TTL_MS);
  expect(seen.polls).toBe(2);
  await pass(4999);
  expect(seen.polls).toBe(2);
  await pass(1);
  expect(values).toEqual([1, 3]);
});

test('pauses after failed polls may grow with the duration of the failures, until one succeeds', async () => {
  const { seen, listen } = open((count) => {
    if (count !== 4) throw new SyntaxError('refused');
    return fresh(count);
  });
  listen();
  for (const [pause, polls] of [
    [5000, 2],
    [5000, 3],
    [9999, 3],
    [1, 4],
    [TTL_MS, 5],
    [5000, 6],
  ] as const) {
    await pass(pause);
    expect(seen.polls).toBe(polls);
  }
});

test('listeners that join while polls fail make no pause longer', async () => {
  const { seen, listen } = open((count) => {
    if (count < 10) throw new SyntaxError('refused');
    return fresh(count);
  });
  for (let i = 0; i < 9; i += 1) {
    listen();
    await pass(100);
  }
  expect(seen.polls).toBe(9);
  await pass(5000);
  expect(seen.polls).toBe(10);
});

test('a listener that joins while a failed poll waits for its retry causes a poll at once, and leaves no timer behind', async () => {
  const { seen, listen } = open(() => {
    throw new Error('down');
  });
  const first = listen();
  await pass(2000);
  const second = listen();
  await pass(0);
  expect(seen.polls).toBe(2);
  await pass(4999);
  expect(seen.polls).toBe(2);
  await pass(1);
  expect(seen.polls).toBe(3);
  for (const { leave } of [first, second]) leave();
  expect(vi.getTimerCount()).toBe(0);
  await pass(20_000);
  expect(seen.polls).toBe(3);
});

test('a free poll that finds nothing does not delay the retry of a failed one', async () => {
  const { seen, listen, poll } = open((count) => {
    if (count > 1 && count < 4) throw new Error('down');
    return { value: count, nextAt: Date.now() + 3_600_000 };
  });
  listen('LOW');
  await pass(1000);
  const { values } = listen('HIGH');
  await pass(2000);
  expect(seen.polls).toBe(2);
  poll();
  await pass(2999);
  expect(values).toEqual([1]);
  await pass(1);
  expect(values).toEqual([1, 4]);
});

test('a free poll that finds nothing undoes no wait that was shortened because the stretch fell', async () => {
  const { seen, clock, listen, poll } = open((count) => {
    if (count === 2) throw new Error('not cached');
    return { value: count, nextAt: Date.now() + 86_400_000 };
  });
  clock.stretch = 100;
  listen();
  await pass(30_000);
  clock.stretch = 1;
  await pass(60_000);
  poll();
  await pass(0);
  expect(seen.polls).toBe(2);
  await pass(864_000);
  expect(seen.polls).toBe(3);
});

test.each([
  { when: 'polls fail', failing: [2] },
  { when: 'no poll has succeeded yet', failing: [1] },
])('data that come another way while $when are told at once', async ({ failing }) => {
  const { seen, listen, poll } = open((count) => {
    if (failing.includes(count)) throw new Error('no budget left');
    return fresh(count);
  });
  const { values } = listen();
  await pass(TTL_MS + 1);
  const before = seen.polls;
  poll();
  await pass(0);
  expect(seen.polls).toBe(before + 1);
  expect(values.at(-1)).toBe(before + 1);
  await pass(TTL_MS);
  expect(values.at(-1)).toBe(before + 2);
});
