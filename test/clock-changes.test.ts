import { expect, test } from 'vitest';
import { parseInstant } from '../src/time.ts';

/** Local times that a day does not have, since clocks go forward, or has twice, since they go back. */

test.each([
  // 03:30 by the clocks that have gone forward.
  ['2026-03-08T02:30:00', 'America/New_York', '-05:00'],
  ['2026-11-01T01:30:00', 'America/New_York', '-04:00'],
  // The first moment of that day, whose clocks show 01:00.
  ['2026-09-06T00:00:00', 'America/Santiago', '-04:00'],
])('%s in %s is %s', (text, zone, offset) => {
  expect(parseInstant(text, zone)).toBe(text + offset);
});
