import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRateCount } from '../../src/clients/rate.ts';

/** Never more operations than the limit in any minute, and never fewer than there is room for. */

const MINUTE = 60_000;

test('in any minute as many operations pass as are allowed, and an operation that waits as long as told passes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 20 }),
      (pauses, limit) => {
        let now = 1;
        const count = createRateCount(() => now);
        const passed: number[] = [];
        for (const pause of pauses) {
          now += pause;
          const recent = passed.filter((at) => at > now - MINUTE).length;
          const rate = count.take(limit);
          expect(rate.isExceeded).toBe(recent >= limit);
          expect(rate.resetSeconds).toBeGreaterThan(0);
          expect(rate.resetSeconds).toBeLessThanOrEqual(60);
          now += rate.isExceeded ? rate.resetSeconds * 1000 : 0;
          const again = rate.isExceeded ? count.take(limit) : rate;
          expect(again.isExceeded).toBe(false);
          passed.push(now);
        }
      },
    ),
  );
});

test('many within a millisecond are each counted, and an operation that waits as long as told passes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 0.7, noNaN: true }), { minLength: 20, maxLength: 100 }),
      fc.integer({ min: 1, max: 10 }),
      (pauses, limit) => {
        let now = 0.3;
        const count = createRateCount(() => now);
        for (const [i, pause] of pauses.entries()) {
          now += pause;
          const { isExceeded, remaining } = count.take(limit);
          expect([isExceeded, remaining]).toEqual([i >= limit, Math.max(0, limit - i - 1)]);
        }
        now += count.take(limit).resetSeconds * 1000;
        expect(count.take(limit).isExceeded).toBe(false);
      },
    ),
  );
});

test('the stated wait never exceeds a minute, whatever fractions of milliseconds the clock has', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e7, noNaN: true }), (now) => {
      const count = createRateCount(() => now);
      for (let i = 0; i < 3; i += 1) expect(count.take(2).resetSeconds).toBe(60);
    }),
  );
});

test('operations of the same millisecond count until a minute after the last of them', () => {
  let now = 0.1;
  const count = createRateCount(() => now);
  count.take(2);
  now = 0.9;
  count.take(2);
  now = MINUTE + 0.5;
  expect(count.take(2).isExceeded).toBe(true);
  now = MINUTE + 0.9;
  expect(count.take(2).isExceeded).toBe(false);
});

test('a lowered limit applies at once', () => {
  let now = 0;
  const count = createRateCount(() => now);
  for (let i = 0; i < 10; i += 1) {
    count.take(10);
    now += 1000;
  }
  const { isExceeded, resetSeconds } = count.take(3);
  expect([isExceeded, resetSeconds]).toEqual([true, 57]);
});

test('operations stop counting after a minute', () => {
  let now = 0;
  const count = createRateCount(() => now);
  for (let i = 0; i < 100_000; i += 1) {
    now += 10;
    expect(count.take(6001).isExceeded).toBe(false);
  }
  expect(count.take(6001).remaining).toBeGreaterThanOrEqual(0);
});

test('neither the operations of a busy minute nor those that pass elsewhere take much memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let now = 0;
  const bytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = bytes();
  const busy = createRateCount(() => now);
  for (let i = 0; i < 2_000_000; i += 1) {
    now += 0.01;
    busy.take(10_000_000);
  }
  const elsewhere = createRateCount(() => now);
  for (let i = 0; i < 2_000_000; i += 1) {
    now += 10;
    elsewhere.add(1);
  }
  expect(bytes() - before).toBeLessThan(4_000_000);
  expect(elsewhere.take(6001).isExceeded).toBe(false);
  expect(busy.take(1).isExceeded).toBe(false);
});
