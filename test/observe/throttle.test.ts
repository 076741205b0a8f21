import { expect, test } from 'vitest';
import { createThrottle } from '../../src/observe/throttle.ts';

test('events that recur are reported once a minute, whenever those that were counted are', () => {
  let now = 0;
  const reported: unknown[] = [];
  const throttle = createThrottle<string>(
    () => now,
    (about, count) => reported.push([now, about, count]),
  );
  for (now = 0; now <= 180_000; now += 5000) {
    if (now % 10_000 === 0) throttle.reportCounted('due');
    throttle.note('failure', 'a failure');
  }
  throttle.reportCounted('all');
  expect(reported).toEqual([
    [0, 'a failure', undefined],
    [60_000, 'a failure', 11],
    [120_000, 'a failure', 12],
    [180_000, 'a failure', 12],
    [185_000, 'a failure', 1],
  ]);
});
