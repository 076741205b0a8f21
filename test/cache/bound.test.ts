import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBound } from '../../src/cache/bound.ts';

const KIB = 1024;

test('before anything is known of a dataset, a request grows to a month', () => {
  expect(createBound(512 * KIB).maxDays()).toBe(32);
});

test('what is known of the size of a day counts from the start', () => {
  expect(createBound(512 * KIB, 64).maxDays()).toBe(8192);
});

test('an answer tells how many days fit into the bound', () => {
  const bound = createBound(10_000);
  bound.learn({ days: 10, bytes: 1000, records: 50, cutShort: false });
  expect(bound.maxDays()).toBe(100);
});

test('a dataset that becomes denser is noticed within some answers', () => {
  const bound = createBound(10_000);
  const learn = (bytes: number) => bound.learn({ days: 10, bytes, records: 50, cutShort: false });
  for (let i = 0; i < 100; i += 1) learn(1000);
  for (let i = 0; i < 20; i += 1) learn(10_000);
  expect(bound.maxDays()).toBeGreaterThanOrEqual(10);
  expect(bound.maxDays()).toBeLessThanOrEqual(11);
});

test('after an answer that was cut short, requests stay a fifth below the cut', () => {
  const bound = createBound(1_000_000);
  bound.learn({ days: 50, bytes: 1000, records: 100, cutShort: false });
  bound.learn({ days: 50, bytes: 1000, records: 100, cutShort: true });
  expect(bound.maxDays()).toBe(40);
});

test('empty answers say that days are small, not that they weigh nothing', () => {
  const bound = createBound(5000);
  bound.learn({ days: 7, bytes: 0, records: 0, cutShort: false });
  expect(bound.maxDays()).toBe(35_000);
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
      answers.forEach(bound.learn);
      expect(Number.isInteger(bound.maxDays())).toBe(true);
      expect(bound.maxDays()).toBeGreaterThanOrEqual(1);
    }),
  );
});
