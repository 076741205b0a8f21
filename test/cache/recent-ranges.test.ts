import { expect, test } from 'vitest';
import { createRecentRanges } from '../../src/cache/recent-ranges.ts';

const openRanges = () => createRecentRanges('test', { shared: undefined, monotonic: () => 0 });

test('the hull reaches from the earliest to the latest day of recent queries', () => {
  const recent = openRanges();
  expect(recent.hull()).toBeUndefined();
  for (const [start, end] of [
    [10, 12],
    [3, 4],
    [11, 20],
  ] as const)
    recent.note({ start, end });
  expect(recent.hull()).toEqual({ start: 3, end: 20 });
});

test('a range that none of the next two hundred queries repeats is forgotten', () => {
  const recent = openRanges();
  recent.note({ start: 0, end: 5 });
  for (let i = 0; i < 199; i += 1) recent.note({ start: 50, end: 60 });
  expect(recent.hull()).toEqual({ start: 0, end: 60 });
  recent.note({ start: 51, end: 59 });
  expect(recent.hull()).toEqual({ start: 50, end: 60 });
});
