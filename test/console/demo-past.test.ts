import { expect, test } from 'vitest';
import { METERS } from '../../src/meters.ts';
import { writePast } from '../../src/demo/past.ts';
import { temporaryFolder } from '../harness.ts';

test.each([
  '2026-12-01T00:30:00+03:00',
  '2026-11-02T03:00:00+03:00',
  '2026-12-15T12:00:00+03:00',
  '2026-12-31T23:30:00+03:00',
])('at %s the demo plans with the units of a whole month', (instant) => {
  const clients = [{ name: 'web', share: 1, operations: ['A'] }];
  const now = Date.parse(instant);
  const { spent, whole } = writePast(temporaryFolder(), clients, {
    now,
    timezone: 'Europe/Istanbul',
  });
  const least = { fx: 2300, macro: 320, credits: 3300 };
  for (const meter of METERS) {
    expect(whole[meter]).toBeGreaterThan(least[meter]);
    expect(whole[meter]).toBeLessThan(1.3 * least[meter]);
    expect(whole[meter]).toBeGreaterThanOrEqual(spent[meter]);
  }
});
