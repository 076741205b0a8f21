import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLengthLimit } from '../../src/cache/request-length.ts';

const KIB = 1024;
const KEY = 'key';

test('before anything is known about a dataset, a request grows to a month', () => {
  expect(createLengthLimit(512 * KIB).maxDays(KEY)).toBe(32);
});

test('a known size of a day counts from the start', () => {
  expect(createLengthLimit(512 * KIB, 64).maxDays(KEY)).toBe(8192);
});

test("the size of a key's days is learned from its own answers, and that of a new key is assumed from others", () => {
  const limit = createLengthLimit(512 * KIB, 64);
  const learn = (key: string, days: number, bytes: number, records: number) =>
    limit.noteAnswer(key, { days, bytes, records, cutShort: false });
  learn('a value a month', 1000, 1000, 33);
  learn('not yet begun', 1000, 100, 0);
  expect(['a value a month', 'not yet begun', 'new'].map(limit.bytesPerDay)).toEqual([1, 64, 64]);
  learn('more than was expected', 10, 1000, 10);
  expect(['a value a month', 'new'].map(limit.bytesPerDay)).toEqual([1, 100]);
});

test('an answer tells how many days fit into the limit', () => {
  const limit = createLengthLimit(10_000);
  limit.noteAnswer(KEY, { days: 10, bytes: 1000, records: 50, cutShort: false });
  expect(limit.maxDays(KEY)).toBe(100);
});

test('a dataset that becomes denser is noticed within some answers', () => {
  const limit = createLengthLimit(10_000);
  const learn = (bytes: number) =>
    limit.noteAnswer(KEY, { days: 10, bytes, records: 50, cutShort: false });
  for (let i = 0; i < 100; i += 1) learn(1000);
  for (let i = 0; i < 20; i += 1) learn(10_000);
  expect(limit.maxDays(KEY)).toBeGreaterThanOrEqual(10);
  expect(limit.maxDays(KEY)).toBeLessThanOrEqual(11);
});

test('after an answer that was cut short, requests stay a fifth below the cut', () => {
  const limit = createLengthLimit(1_000_000);
  limit.noteAnswer(KEY, { days: 50, bytes: 1000, records: 100, cutShort: false });
  limit.noteAnswer(KEY, { days: 50, bytes: 1000, records: 100, cutShort: true });
  expect(limit.maxDays(KEY)).toBe(40);
});

test('the records of a cut answer are those of a part of its days, if it tells how many there are', () => {
  const limit = createLengthLimit(1_000_000);
  const cut = { days: 100, bytes: 1000, records: 100, cutShort: true };
  limit.noteAnswer(KEY, { ...cut, total: 200 });
  expect(limit.maxDays(KEY)).toBe(40);
});

test('a length that was refused is remembered until an answer is as long', () => {
  const limit = createLengthLimit(1_000_000_000);
  const learn = (days: number) =>
    limit.noteAnswer(KEY, { days, bytes: 100, records: 1, cutShort: false });
  limit.noteRefused(KEY, 365);
  learn(30);
  learn(90);
  expect(limit.maxDays(KEY)).toBe(90);
  learn(365);
  // So it was not the length that was refused.
  expect(limit.maxDays(KEY)).toBe(36_600);
});

test('a complete answer with as many records as a cut one shows that answers are not cut there', () => {
  const limit = createLengthLimit(1_000_000);
  const learn = (records: number, cutShort: boolean) =>
    limit.noteAnswer(KEY, { days: 50, bytes: 1000, records, cutShort });
  learn(1, true);
  expect(limit.maxDays(KEY)).toBe(40);
  learn(1, false);
  expect(limit.maxDays(KEY)).toBe(36_600);
});

test('empty answers mean that days are small, not that they have no size', () => {
  const limit = createLengthLimit(5000);
  limit.noteAnswer(KEY, { days: 7, bytes: 0, records: 0, cutShort: false });
  expect(limit.maxDays(KEY)).toBe(35_000);
});

test('whatever is learned, a request may always ask for some whole days', () => {
  const answer = fc.record({
    days: fc.integer({ min: 1, max: 40_000 }),
    bytes: fc.nat(64_000_000),
    records: fc.nat(100_000),
    cutShort: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.array(answer), (maxBytes, answers) => {
      const limit = createLengthLimit(maxBytes);
      for (const one of answers) limit.noteAnswer(KEY, one);
      expect(Number.isInteger(limit.maxDays(KEY))).toBe(true);
      expect(limit.maxDays(KEY)).toBeGreaterThanOrEqual(1);
    }),
  );
});

test('a refusal shortens requests of its key, and of all once a shorter one is answered', () => {
  const limit = createLengthLimit(1e9, 64);
  const answer = (days: number) => ({ days, bytes: 0, records: 0, cutShort: false });
  for (const [refused, next] of [
    [3660, 365],
    [365, 30],
  ] as const) {
    limit.noteRefused('bad', refused);
    expect([limit.maxDays('bad'), limit.maxDays('good')]).toEqual([next, 36_600]);
  }
  limit.noteAnswer('bad', answer(30));
  expect([limit.maxDays('bad'), limit.maxDays('good')]).toEqual([30, 30]);
  limit.noteAnswer('good', answer(400));
  expect([limit.maxDays('bad'), limit.maxDays('good')]).toEqual([36_600, 36_600]);
});
