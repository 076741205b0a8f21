import { expect, test } from 'vitest';
import { createKnownCounters } from '../../src/shared/valkey/known-counters.ts';

test('counters of days long over are forgotten, those of the month and of the last days are not', () => {
  const known = createKnownCounters('2026-11');
  const fields = (version: number, ...days: string[]) =>
    known.note(Object.fromEntries(days.map((day, i) => [`web ${day}`, i + 1])), version);
  fields(1, '2026-11', '2026-11-01', '2026-11-02');
  expect(Object.keys(known.all())).toHaveLength(3);
  fields(2, '2026-11-20');
  fields(3, '2026-11-21');
  expect(known.all()).toEqual({ 'web 2026-11': 1, 'web 2026-11-20': 1, 'web 2026-11-21': 1 });
  expect(known.usedOf({ client: 'web', window: '2026-11-01' })).toBe(0);
  // An older version changes nothing.
  known.note({ 'web 2026-11-21': 9 }, 3);
  expect(known.usedOf({ client: 'web', window: '2026-11-21' })).toBe(1);
});
