import { expect, test } from 'vitest';
import { parseInstant } from '../src/time.ts';

/** Local times that a day lacks because clocks go forward, or has twice because they go back. */

test.each([
  // 03:30 on clocks that have gone forward.
  ['2026-03-08T02:30:00', 'America/New_York', '-05:00'],
  ['2026-11-01T01:30:00', 'America/New_York', '-04:00'],
  // The first instant of that day, when clocks show 01:00.
  ['2026-09-06T00:00:00', 'America/Santiago', '-04:00'],
])('%s in %s is %s', (text, zone, offset) => {
  expect(parseInstant(text, zone)).toBe(text + offset);
});
