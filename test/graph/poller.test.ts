import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fresh, openPoller as open, TTL_MS } from './poller.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('without listeners there are no polls', async () => {
  const { seen } = open();
  await pass(10 * TTL_MS);
  expect(seen.polls).toBe(0);
});

test('one poll at a time serves all listeners', async () => {
  const { seen, listen } = open();
  const all = [listen(), listen(), listen()];
  await pass(2 * TTL_MS);
  expect(seen.polls).toBe(3);
  for (const { values } of all) expect(values).toEqual([1, 2, 3]);
});

test('a later listener gets what is known at once, and causes no poll', async () => {
  const { seen, listen } = open();
  listen();
  await pass(TTL_MS / 2);
  expect(listen().values).toEqual([1]);
  expect(seen.polls).toBe(1);
});

test('the first listener of another priority causes a poll at once: the latest value may be too old for it', async () => {
  const { seen, listen } = open();
  listen('LOW');
  await pass(TTL_MS / 2);
  const all = [listen('HIGH'), listen('HIGH'), listen('LOW')];
  await pass(0);
  expect(seen.polls).toBe(2);
  for (const { values } of all) expect(values).toEqual([1, 2]);
});

test('if it comes during a poll, another one follows at once', async () => {
  const { seen, listen } = open(async (value) => {
    await new Promise((resolve) => setTimeout(resolve, TTL_MS / 4));
    return fresh(value);
  });
  listen('LOW');
  listen('HIGH');
  await pass(TTL_MS);
  expect(seen.polls).toBe(2);
});

test('when the last listener leaves, nothing is left behind', async () => {
  const { seen, listen } = open();
  const [first, last] = [listen(), listen()];
  await pass(0);
  first.leave();
  expect(seen.idle).toBe(0);
  last.leave();
  expect([seen.idle, vi.getTimerCount()]).toEqual([1, 0]);
});

test('a poll that ends after all listeners have left is neither reported nor repeated', async () => {
  const { seen, listen } = open(async (value) => {
    await new Promise((resolve) => setTimeout(resolve, TTL_MS));
    return fresh(value);
  });
  const { values, leave } = listen();
  leave();
  await pass(10 * TTL_MS);
  expect([seen.polls, values.length, vi.getTimerCount()]).toEqual([1, 0, 0]);
});

test('a long poll is not overtaken by another one', async () => {
  const { seen, listen } = open(() => new Promise(() => {}));
  listen();
  listen();
  await pass(10 * TTL_MS);
  expect(seen.polls).toBe(1);
});

test.for([
  ['is past its time to live', -10_000],
  ['is never fresh', 0],
] as const)('a poll whose result %s is repeated after 5 seconds', async ([, ahead]) => {
  const { seen, listen } = open((value) => ({ value, nextAt: Date.now() + ahead }));
  listen();
  await pass(4999);
  expect(seen.polls).toBe(1);
  await pass(1);
  expect(seen.polls).toBe(2);
});

test('a poll that takes longer than its answer is fresh is repeated a second later', async () => {
  const { seen, listen } = open(async (value) => {
    const found = { value, nextAt: Date.now() + 10 };
    await new Promise((resolve) => setTimeout(resolve, 100));
    return found;
  });
  listen();
  await pass(1099);
  expect(seen.polls).toBe(1);
  await pass(1);
  expect(seen.polls).toBe(2);
});

test('a timer that fires early causes no poll', async () => {
  const { seen, clock, listen } = open();
  listen();
  await pass(0);
  clock.ahead = -0.7;
  await pass(TTL_MS);
  expect(seen.polls).toBe(1);
  await pass(1);
  expect(seen.polls).toBe(2);
});

test('a poll that takes longer than the cached data are still fresh is repeated at once', async () => {
  const { seen, listen } = open(async (value) => {
    const found = { value, nextAt: Date.now() + 10, wasCached: true };
    await new Promise((resolve) => setTimeout(resolve, 100));
    return found;
  });
  listen();
  await pass(149);
  expect(seen.polls).toBe(1);
  await pass(1);
  expect(seen.polls).toBe(2);
});

test('polls are never closer together than 50 milliseconds', async () => {
  const { seen, listen } = open((value) => ({ value, nextAt: Date.now() + 1 }));
  listen();
  await pass(500);
  expect(seen.polls).toBe(11);
});

test('a poll that is due in a year is not due at once', async () => {
  const { seen, listen } = open((value) => ({ value, nextAt: Date.now() + 365 * 86_400_000 }));
  listen();
  await pass(86_400_000);
  expect(seen.polls).toBe(1);
});

test('if data expire sooner than expected, a poll follows a minute later at the latest', async () => {
  const { seen, clock, listen } = open((value) => ({ value, nextAt: Date.now() + 86_400_000 }));
  clock.stretch = 100;
  const { leave } = listen();
  await pass(3_600_000);
  expect([seen.polls, vi.getTimerCount()]).toEqual([1, 1]);
  clock.stretch = 1;
  // A hundredth of the remaining 23 hours.
  await pass(828_000 - 1);
  expect(seen.polls).toBe(1);
  await pass(60_000);
  expect(seen.polls).toBe(2);
  clock.stretch = 1000;
  await pass(86_400_000);
  expect(seen.polls).toBe(3);
  leave();
  expect(vi.getTimerCount()).toBe(0);
});

test('a poll outside the schedule that would have to pay changes nothing', async () => {
  const { seen, listen, poll } = open((count) => {
    if (count === 2) throw new RangeError('too much');
    return fresh(count);
  });
  const { values } = listen();
  await pass(TTL_MS / 2);
  poll();
  await pass(TTL_MS / 2 - 1);
  expect(seen).toMatchObject({ polls: 2, givenUp: 0 });
  await pass(1);
  expect(values).toEqual([1, 3]);
});

test('if the instant of a poll passes while its timer is being set, the timer is set all the same', async () => {
  const { seen, clock, listen } = open();
  listen();
  await pass(TTL_MS / 2);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  // The timer fires a little early, and deciding on the stretch takes longer than what is left.
  clock.ahead = -1;
  Object.defineProperty(clock, 'stretch', { get: () => ((clock.ahead += 5), 1) });
  await pass(TTL_MS);
  const delays = timers.mock.calls.map(([, ms = 0]) => ms);
  timers.mockRestore();
  expect(seen.polls).toBeGreaterThan(1);
  // Node writes a warning about negative ones.
  expect(Math.min(...delays)).toBeGreaterThan(0);
});
