import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Permit } from '../../src/shared/permits.ts';
import { createRateLimiter, type RateLimiter } from '../../src/upstream/rate-limiter.ts';

/** What a rate limiter learns from refusals if the upstream's limit is not known. */

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** Moved by the fake timers. */
const monotonic = () => Date.now();
const open = () => createRateLimiter({ perSecond: undefined, monotonic, maxInFlight: Infinity });

/** Acquires permits; each is answered at once, with a refusal if `isRefused` says so. */
function ask(limiter: RateLimiter, count: number, isRefused: (permit: Permit) => boolean) {
  const seen = { accepted: 0, refused: 0, doneAt: Number.NaN };
  const one = async () => {
    const permit = await limiter.acquire(Infinity);
    if (!permit) return;
    if (!isRefused(permit)) {
      seen.accepted += 1;
      if (seen.accepted === count) seen.doneAt = monotonic();
      return;
    }
    seen.refused += 1;
    limiter.noteRefused(permit, undefined);
    await one();
  };
  for (let i = 0; i < count; i += 1) void one();
  return seen;
}

/** An upstream that accepts `perSecond` requests a second, and refuses any more. */
function upstream(perSecond: number) {
  let taken: number[] = [];
  return ({ at }: Permit) => {
    taken = taken.filter((time) => time > at - 1000);
    if (taken.length >= perSecond) return true;
    taken.push(at);
    return false;
  };
}

test('a refusal with nothing sent in the second before teaches nothing', async () => {
  const limiter = open();
  let refusals = 1;
  const lone = ask(limiter, 1, () => refusals-- > 0);
  await vi.advanceTimersByTimeAsync(1100);
  expect(lone).toMatchObject({ accepted: 1, refused: 1 });
  const start = monotonic();
  const questions = ask(limiter, 12, () => false);
  await vi.advanceTimersByTimeAsync(100);
  expect(questions.doneAt - start).toBe(0);
});

test('a refusal that arrives late does not count what was sent after it', async () => {
  const limiter = open();
  const [first, second] = await Promise.all([limiter.acquire(Infinity), limiter.acquire(Infinity)]);
  await vi.advanceTimersByTimeAsync(1100);
  for (let i = 0; i < 8; i += 1) await limiter.acquire(Infinity);
  limiter.noteRefused(first!, undefined);
  limiter.noteRefused(second!, undefined);
  await vi.advanceTimersByTimeAsync(1100);
  const questions = ask(limiter, 2, () => false);
  await vi.advanceTimersByTimeAsync(0);
  // Only one was sent in the second before the second refused request.
  expect(questions.accepted).toBe(1);
});

test('a limit that was learned too low is corrected in seconds', async () => {
  const limiter = open();
  await limiter.acquire(Infinity);
  limiter.noteRefused((await limiter.acquire(Infinity))!, undefined);
  const start = monotonic();
  const questions = ask(limiter, 60, () => false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(questions.accepted).toBe(60);
  expect(questions.doneAt - start).toBeLessThan(15_000);
});

test('a confirmed limit is tested less and less often', async () => {
  const limiter = open();
  const questions = ask(limiter, 1500, upstream(5));
  await vi.advanceTimersByTimeAsync(320_000);
  expect(questions.accepted).toBeGreaterThan(1350);
  const { refused } = questions;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(questions.accepted).toBe(1500);
  expect(questions.refused - refused).toBeLessThan(3);
});

test('a limit that was confirmed for long is raised quickly once the upstream accepts more', async () => {
  const limiter = open();
  ask(limiter, 1500, upstream(5));
  await vi.advanceTimersByTimeAsync(400_000);
  const start = monotonic();
  const questions = ask(limiter, 2000, () => false);
  await vi.advanceTimersByTimeAsync(400_000);
  expect(questions.accepted).toBe(2000);
  expect(questions.doneAt - start).toBeLessThan(140_000);
});
