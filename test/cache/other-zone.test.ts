import { expect, test } from 'vitest';
import { segmentsOf } from '../../src/cache/filed-days.ts';
import { inUpstreamOrder, overlay, withoutRepeats } from '../../src/cache/segments.ts';
import type { Day, Span } from '../../src/time.ts';
import { originAt } from './days.ts';

/** Records whose day the upstream counts in another time zone. */

interface Event {
  day: Day;
  name: string;
}

const keyOf = ({ name }: Event) => name;

/** An answer with these records about some days, filed at `at`. */
function file(records: readonly Event[], asked: Span, { zoneDays = 1, at = 0 } = {}) {
  const about = { cutShort: false, total: records.length, bytes: 0, warnings: [] };
  return segmentsOf(
    { origin: originAt(at), records, ...about },
    asked,
    {
      dataset: 'events',
      dayOf: ({ day }) => day,
      freshFor: () => 10,
      otherZone: { days: zoneDays, keyOf },
    },
    { now: at, aging: at },
  );
}

test('a record of a day that was not asked for is left out, except for days by which zones differ', () => {
  const events = [2, 3, 5, 7, 9].map((day) => ({ day, name: String(day) }));
  const filed = (zoneDays: number) =>
    file(events, { start: 4, end: 6 }, { zoneDays })
      .flatMap(({ entries }) => entries)
      .map(({ day, record }) => [record.name, day]);
  expect(filed(0)).toEqual([['5', 5]]);
  expect(filed(1)).toEqual([
    ['3', 4],
    ['5', 5],
    ['7', 6],
  ]);
});

test('a record that two answers have under different days exists once, as in the later answer', () => {
  const [before, after] = [1, 2].map(() => ({ day: 11, name: 'X' }));
  const segments = overlay(
    file([before!], { start: 10, end: 15 }, { at: 1 }),
    file([after!], { start: 5, end: 10 }, { at: 2 }),
  );
  expect(inUpstreamOrder(segments)).toHaveLength(2);
  const [only, ...others] = inUpstreamOrder(withoutRepeats(segments, keyOf));
  expect([only === after, others]).toEqual([true, []]);
});
