import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MarketError } from '../../src/upstream/errors.ts';
import { createLine } from '../../src/upstream/line.ts';

const TIMEOUT_MS = 5000;
const PRESUMED = 1_000_000;
const MINUTE = 60_000;
const TIMED_OUT = new MarketError('UPSTREAM_TIMEOUT');

function open(bytesPerSecond = PRESUMED) {
  const clock = { now: 0 };
  const line = createLine({ bytesPerSecond, timeoutMs: TIMEOUT_MS, monotonic: () => clock.now });
  return { clock, line, of: line.of('test') };
}

/** A line that brings `perMs` bytes a millisecond, after `firstByteMs`. */
interface World {
  perMs: number;
  firstByteMs: number;
}

const arrivalOf = (bytes: number, { perMs, firstByteMs }: World) => ({
  bytes,
  firstByteMs,
  bodyMs: bytes / perMs,
});

const worlds = fc.record({
  perMs: fc.double({ min: 5, max: 100_000, noNaN: true }),
  firstByteMs: fc.integer({ min: 0, max: 2000 }),
});
const sizes = fc.integer({ min: 0, max: 1_000_000 });
const telling = fc.integer({ min: 4096, max: 1_000_000 });

test('over a steady line a widened answer takes little longer, and never comes near the timeout', () => {
  fc.assert(
    fc.property(worlds, fc.array(telling, { minLength: 1 }), sizes, (world, before, bytes) => {
      const { line, of } = open();
      for (const size of before) line.noteEnd('test', 'body', arrivalOf(size, world));
      const timeOf = (size: number) => world.firstByteMs + size / world.perMs;
      const most = of.maxBytes(bytes);
      const timeAlone = timeOf(bytes);
      expect(most).toBeGreaterThanOrEqual(bytes);
      expect(timeOf(most)).toBeLessThanOrEqual(timeAlone * 1.5 + 20.001);
      expect(timeOf(most)).toBeLessThanOrEqual(Math.max(timeAlone, TIMEOUT_MS / 2) + 0.001);
    }),
  );
});

test('an answer that arrives early enough may grow by what arrives in 20 ms, however fast the line is', () => {
  fc.assert(
    fc.property(
      worlds,
      fc.double({ min: 1, max: 100, noNaN: true }),
      sizes,
      (world, times, bytes) => {
        const maxBytesAt = (perMs: number) => {
          const { line, of } = open();
          line.noteEnd('test', 'body', arrivalOf(20_000, { ...world, perMs }));
          return of.maxBytes(bytes);
        };
        const isInTime = world.firstByteMs + bytes / world.perMs < TIMEOUT_MS / 4;
        fc.pre(isInTime);
        // 20 ms are allowed however short the narrow answer's time is.
        const allowed = (most: number, perMs: number) => (most - bytes) / perMs;
        expect(
          allowed(maxBytesAt(world.perMs * times), world.perMs * times),
        ).toBeGreaterThanOrEqual(19.999);
      },
    ),
  );
});

test('before anything is known, an answer grows by what arrives in 20 ms at the presumed speed', () => {
  expect(open().of.maxBytes(0)).toBe(20_000);
  expect(open(50_000).of.maxBytes(0)).toBe(1000);
});

test('before anything is known, a large answer hardly grows, since the line may be much slower', () => {
  const { of } = open();
  expect([30_000, 60_000, 100_000].map(of.maxBytes)).toEqual([54_000, 62_500, 100_000]);
});

test('a large answer does not grow in the hope that a slow line has become faster', () => {
  const { clock, line, of } = open();
  line.noteEnd('test', 'body', { bytes: 5000, firstByteMs: 0, bodyMs: 200 });
  clock.now = 60 * MINUTE;
  expect([0, 60_000, 100_000].map(of.maxBytes)).toEqual([20_000, 62_500, 100_000]);
});

test('after an answer that begins late, but then takes no time, nothing grows', () => {
  const { line, of } = open();
  line.noteEnd('test', 'body', { bytes: 5000, firstByteMs: TIMEOUT_MS / 2, bodyMs: 0 });
  expect(of.maxBytes(400)).toBe(400);
  expect(of.bytesInTime()).toBe(0);
});

test('an answer that a server sends at once shows no faster line than a larger one would', () => {
  const { line, of } = open();
  line.noteEnd('test', 'body', { bytes: 14_000, firstByteMs: 40, bodyMs: 0.1 });
  // Three round trips more would take 120 ms.
  expect(of.maxBytes(400)).toBeLessThan(40_000);
  line.noteEnd('test', 'body', { bytes: 140_000, firstByteMs: 40, bodyMs: 1 });
  expect(of.maxBytes(400)).toBeGreaterThan(140_000);
});

test('answers too small to tell the speed change nothing', () => {
  const { line, of } = open();
  line.noteEnd('test', 'body', { bytes: 400, firstByteMs: 0, bodyMs: 0 });
  line.noteEnd('test', 'body', { bytes: 400, firstByteMs: 0, bodyMs: 4000 });
  expect(of.maxBytes(0)).toBe(20_000);
});

test('one delayed answer changes nothing', () => {
  const { line, of } = open();
  const world = { perMs: 5000, firstByteMs: 0 };
  for (let i = 0; i < 4; i += 1) line.noteEnd('test', 'body', arrivalOf(50_000, world));
  line.noteEnd('test', 'body', { bytes: 50_000, firstByteMs: 0, bodyMs: 2000 });
  expect(of.maxBytes(0)).toBe(100_000);
});

test('an answer that takes no time shows a line of unlimited speed', () => {
  const { line, of } = open();
  line.noteEnd('test', 'body', { bytes: 5000, firstByteMs: 0, bodyMs: 0 });
  expect(of.maxBytes(400)).toBe(Infinity);
  expect(of.bytesInTime()).toBe(Infinity);
});

test('after a timeout nothing grows until an answer has arrived, and then at the speed of what arrived', () => {
  const { line, of } = open();
  const fast = { perMs: 5000, firstByteMs: 0 };
  for (let i = 0; i < 5; i += 1) line.noteEnd('test', 'body', arrivalOf(50_000, fast));
  line.noteEnd('test', TIMED_OUT, { bytes: 125_000, firstByteMs: 0, bodyMs: TIMEOUT_MS });
  expect(of.maxBytes(400)).toBe(400);
  line.noteEnd('test', 'body', { bytes: 400, firstByteMs: 0, bodyMs: 16 });
  expect(of.maxBytes(400)).toBe(400 + 20 * 25);
});

test('a timeout without a status stops the growth of that dataset only', () => {
  const { line, of } = open();
  line.noteEnd('test', TIMED_OUT);
  expect(of.maxBytes(400)).toBe(400);
  expect(line.of('other').maxBytes(400)).toBe(20_400);
});

test('a line that was found slow is tried again, with more each minute', () => {
  const { clock, line, of } = open();
  line.noteEnd('test', 'body', { bytes: 5000, firstByteMs: 0, bodyMs: 200 });
  const after = (minutes: number) => {
    clock.now = minutes * MINUTE;
    return Math.round(of.maxBytes(0));
  };
  expect([0, 1, 2, 3, 100].map(after)).toEqual([500, 1000, 2000, 4000, 20_000]);
});

test('a process starts from what another one has found, until it knows better', () => {
  const told: number[] = [];
  const speeds = {
    publish: (perMs: () => number) => void told.push(perMs()),
    refresh: () => undefined,
    others: () => told.slice(-1),
  };
  const options = { bytesPerSecond: PRESUMED, timeoutMs: TIMEOUT_MS, monotonic: () => 0 };
  const fast = { perMs: 10_000, firstByteMs: 0 };
  createLine(options, speeds).noteEnd('test', 'body', arrivalOf(10_000, fast));
  expect(told).toEqual([10_000]);
  const other = createLine(options, speeds);
  expect(other.of('test').maxBytes(0)).toBe(200_000);
  expect(open().of.maxBytes(0)).toBe(20_000);
  const slow = () => other.noteEnd('test', 'body', arrivalOf(10_000, { ...fast, perMs: 100 }));
  for (let i = 0; i < 4; i += 1) slow();
  expect(other.of('test').maxBytes(0)).toBe(200_000);
  slow();
  expect(other.of('test').maxBytes(0)).toBe(2000);
});

test('a timeout is believed at once, whatever others have found', () => {
  const found = [10_000, 9000, 1];
  const speeds = { publish: () => undefined, refresh: () => undefined, others: () => found };
  const options = { bytesPerSecond: PRESUMED, timeoutMs: TIMEOUT_MS, monotonic: () => 0 };
  const line = createLine(options, speeds);
  expect(line.of('test').maxBytes(0)).toBe(180_000);
  line.noteEnd('test', TIMED_OUT, { bytes: 125_000, firstByteMs: 0, bodyMs: TIMEOUT_MS });
  expect(line.of('other').maxBytes(0)).toBe(500);
});

test('answers without records do not change how large a record is taken to be', () => {
  const { line, of } = open();
  line.noteRecords('test', 100, 20_000);
  for (let i = 0; i < 50; i += 1) line.noteRecords('test', 0, 90);
  expect(of.bytesPerRecord()).toBe(200);
});
