import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Permit } from '../../src/shared/permits.ts';
import { createRateLimiter, type RateLimiter } from '../../src/upstream/rate-limiter.ts';
import { retryAfterMs } from '../../src/upstream/outcome.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** Moved by the fake timers. */
const monotonic = () => Date.now();
const NEVER = Infinity;

/** Asks for `count` permits; they are listed in order of arrival, each with the number of its request. */
function queue(limiter: RateLimiter, count: number, deadline = NEVER) {
  const permits: { permit: Permit | undefined; number: number }[] = [];
  for (let number = 0; number < count; number += 1)
    void limiter.acquire(deadline).then((permit) => permits.push({ permit, number }));
  return permits;
}

const times = (permits: readonly { permit: Permit | undefined }[], from: number) =>
  permits.map(({ permit }) => permit && permit.at - from);

function maxInASecond(at: readonly number[]): number {
  return Math.max(0, ...at.map((from) => at.filter((t) => t >= from && t < from + 1000).length));
}

test('without a limit every permit is given at once', async () => {
  const permits = queue(
    createRateLimiter({ perSecond: undefined, monotonic, maxInFlight: Infinity }),
    100,
  );
  await vi.advanceTimersByTimeAsync(0);
  expect(new Set(times(permits, monotonic()))).toEqual(new Set([0]));
});

test('a known limit is kept from the start, in order of arrival and without idling', async () => {
  const start = monotonic();
  const permits = queue(createRateLimiter({ perSecond: 5, monotonic, maxInFlight: Infinity }), 12);
  await vi.advanceTimersByTimeAsync(5000);
  expect(permits.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, i) => i));
  const [first, second, third] = [0, 1050, 2100];
  expect(times(permits, start)).toEqual([
    ...Array.from({ length: 5 }, () => first),
    ...Array.from({ length: 5 }, () => second),
    third,
    third,
  ]);
});

test('no second sees more permits than the limit, however they arrive', async () => {
  const arrivals = fc.array(fc.nat(300), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), arrivals, async (perSecond, pauses) => {
      const limiter = createRateLimiter({ perSecond, monotonic, maxInFlight: Infinity });
      const permits: (Permit | undefined)[] = [];
      for (const pause of pauses) {
        void limiter.acquire(NEVER).then((permit) => permits.push(permit));
        await vi.advanceTimersByTimeAsync(pause);
      }
      await vi.advanceTimersByTimeAsync(60_000);
      expect(permits).toHaveLength(pauses.length);
      const at = permits.map((permit) => permit?.at ?? Number.NaN);
      expect(maxInASecond(at)).toBeLessThanOrEqual(perSecond);
    }),
    { numRuns: 50 },
  );
});

test('a request that would wait past its deadline is refused before it', async () => {
  const start = monotonic();
  const permits = queue(
    createRateLimiter({ perSecond: 2, monotonic, maxInFlight: Infinity }),
    5,
    start + 1500,
  );
  await vi.advanceTimersByTimeAsync(0);
  expect(times(permits, start)).toEqual([0, 0]);
  await vi.advanceTimersByTimeAsync(1050);
  expect(times(permits, start)).toEqual([0, 0, 1050, 1050, undefined]);
});

test('after a refusal no request is sent before the upstream allows it', async () => {
  const limiter = createRateLimiter({ perSecond: undefined, monotonic, maxInFlight: Infinity });
  const start = monotonic();
  const [permit] = await firstPermits(limiter, 1);
  limiter.noteRefused(permit!, 3000);
  const permits = queue(limiter, 1);
  await vi.advanceTimersByTimeAsync(2999);
  expect(permits).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(times(permits, start)).toEqual([3000]);
});

/** Returns the permits that are given at once. */
async function firstPermits(limiter: RateLimiter, count: number): Promise<Permit[]> {
  const permits = queue(limiter, count);
  await vi.advanceTimersByTimeAsync(0);
  return permits.flatMap(({ permit }) => permit ?? []);
}

/** Sends eight requests at once, of which the upstream accepts five. */
async function learnLimitOfFive(): Promise<RateLimiter> {
  const limiter = createRateLimiter({ perSecond: undefined, monotonic, maxInFlight: Infinity });
  const permits = await firstPermits(limiter, 8);
  for (const permit of permits.slice(5)) limiter.noteRefused(permit, undefined);
  return limiter;
}

test('an unknown limit is learned from what was accepted before the refusal', async () => {
  const limiter = await learnLimitOfFive();
  const start = monotonic();
  const permits = queue(limiter, 10);
  await vi.advanceTimersByTimeAsync(10_000);
  const at = times(permits, start).map((time) => time ?? Number.NaN);
  expect(at).toHaveLength(10);
  expect(maxInASecond(at)).toBe(5);
});

test('a request beyond the concurrency limit waits until another one ends, or until its deadline', async () => {
  const limiter = createRateLimiter({ perSecond: undefined, monotonic, maxInFlight: 2 });
  const first = queue(limiter, 2);
  const patient = queue(limiter, 2);
  const impatient = queue(limiter, 1, monotonic() + 1000);
  await vi.advanceTimersByTimeAsync(990);
  expect([first.length, patient.length, impatient.length]).toEqual([2, 0, 0]);
  await vi.advanceTimersByTimeAsync(100);
  expect(impatient).toMatchObject([{ permit: undefined }]);
  limiter.noteEnded(first[0]!.permit!);
  limiter.noteEnded(first[0]!.permit!);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(patient).toHaveLength(1);
  limiter.giveBack(first[1]!.permit!);
  await vi.advanceTimersByTimeAsync(0);
  expect(patient).toHaveLength(2);
});

test('a permit counts from when its request is sent, and is too late for one that is sent long after', async () => {
  const limiter = createRateLimiter({ perSecond: 2, monotonic, maxInFlight: Infinity });
  const start = monotonic();
  const [one, two] = await firstPermits(limiter, 2);
  const later = queue(limiter, 2);
  await vi.advanceTimersByTimeAsync(40);
  limiter.noteSent(one!);
  expect(limiter.isLate(two!)).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  expect(limiter.isLate(two!)).toBe(true);
  await vi.advanceTimersByTimeAsync(2000);
  expect(times(later, start)).toEqual([1050, 1090]);
});

test('Retry-After is read as seconds or as a date, and anything else is ignored', () => {
  const at = Date.parse('2026-11-20T12:00:00Z');
  const pause = (header: unknown, date?: string) =>
    retryAfterMs({ 'retry-after': header, date }, at);
  expect(pause('2')).toBe(2000);
  expect(pause('Fri, 20 Nov 2026 12:00:30 GMT')).toBe(30_000);
  expect(pause('Fri, 20 Nov 2026 11:00:00 GMT')).toBe(0);
  for (const header of [undefined, '', 'soon', ['1']]) expect(pause(header)).toBeUndefined();
  const ahead = 'Fri, 20 Nov 2026 12:09:';
  expect(pause(`${ahead}30 GMT`, `${ahead}28 GMT`)).toBe(2000);
  expect(pause('Fri, 20 Nov 2026 12:00:30 GMT', 'soon')).toBe(30_000);
});

test('a rate limiter believes no refusal for longer than a minute, and lets no request wait once it is closed', async () => {
  const limiter = createRateLimiter({ perSecond: 1, monotonic, maxInFlight: Infinity });
  const [first] = await firstPermits(limiter, 1);
  limiter.noteRefused(first!, Infinity);
  expect(await limiter.acquire(monotonic() + 59_000)).toBeUndefined();
  vi.advanceTimersByTime(60_000);
  expect(await limiter.acquire(monotonic())).toBeDefined();
  const waiting = limiter.acquire(monotonic() + 15_000);
  limiter.close();
  expect(await waiting).toBeUndefined();
  expect(await limiter.acquire(Infinity)).toBeUndefined();
});
