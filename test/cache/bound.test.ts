import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBound } from '../../src/cache/bound.ts';

const KIB = 1024;
const KEY = 'key';

test('before anything is known of a dataset, a request grows to a month', () => {
  expect(createBound(512 * KIB).maxDays(KEY)).toBe(32);
});

test('what is known of the size of a day counts from the start', () => {
  expect(createBound(512 * KIB, 64).maxDays(KEY)).toBe(8192);
});

test('an answer tells how many days fit into the bound', () => {
  const bound = createBound(10_000);
  bound.learn(KEY, { days: 10, bytes: 1000, records: 50, cutShort: false });
  expect(bound.maxDays(KEY)).toBe(100);
});

test('a dataset that becomes denser is noticed within some answers', () => {
  const bound = createBound(10_000);
  const learn = (bytes: number) =>
    bound.learn(KEY, { days: 10, bytes, records: 50, cutShort: false });
  for (let i = 0; i < 100; i += 1) learn(1000);
  for (let i = 0; i < 20; i += 1) learn(10_000);
  expect(bound.maxDays(KEY)).toBeGreaterThanOrEqual(10);
  expect(bound.maxDays(KEY)).toBeLessThanOrEqual(11);
});

test('after an answer that was cut short, requests stay a fifth below the cut', () => {
  const bound = createBound(1_000_000);
  bound.learn(KEY, { days: 50, bytes: 1000, records: 100, cutShort: false });
  bound.learn(KEY, { days: 50, bytes: 1000, records: 100, cutShort: true });
  expect(bound.maxDays(KEY)).toBe(40);
});

test('empty answers say that days are small, not that they weigh nothing', () => {
  const bound = createBound(5000);
  bound.learn(KEY, { days: 7, bytes: 0, records: 0, cutShort: false });
  expect(bound.maxDays(KEY)).toBe(35_000);
});

test('whatever is learnt, a request may always ask for some whole days', () => {
  const answer = fc.record({
    days: fc.integer({ min: 1, max: 40_000 }),
    bytes: fc.nat(64_000_000),
    records: fc.nat(100_000),
    cutShort: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.array(answer), (maxBytes, answers) => {
      const bound = createBound(maxBytes);
      for (const one of answers) bound.learn(KEY, one);
      expect(Number.isInteger(bound.maxDays(KEY))).toBe(true);
      expect(bound.maxDays(KEY)).toBeGreaterThanOrEqual(1);
    }),
  );
});

test('a refusal shortens requests of its key, and of all once a shorter one is answered', () => {
  const bound = createBound(1e9, 64);
  const answer = (days: number) => ({ days, bytes: 0, records: 0, cutShort: false });
  bound.refuse('bad', 367);
  bound.refuse('bad', 366);
  expect([bound.maxDays('bad'), bound.maxDays('good')]).toEqual([31, 36_600]);
  bound.learn('bad', answer(31));
  expect([bound.maxDays('bad'), bound.maxDays('good')]).toEqual([31, 31]);
  bound.learn('good', answer(400));
  expect([bound.maxDays('bad'), bound.maxDays('good')]).toEqual([36_600, 36_600]);
});
