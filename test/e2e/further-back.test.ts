import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** The tests' clock starts on 20 November 2026. */
const events = (start: string) =>
  `{ calendarEvents(filter: { start: "${start}", end: "2026-11-20" }) { totalCount } }`;

test('calendar ranges that begin ever further back cost one credit within a year, and one beyond', async () => {
  const { cost } = await open();
  // Shows how large a day is.
  await cost('{ calendarEvents { totalCount } }');
  const starts = ['2026-10-10', '2026-10-01', '2026-08-01', '2025-12-01'];
  const costs = [];
  for (const start of starts) costs.push(await cost(events(start)));
  expect(costs).toEqual([1, 0, 0, 0]);
  expect(await cost(events('2025-10-01'))).toBe(1);
  expect(await cost(events('2024-01-01'))).toBe(0);
});
