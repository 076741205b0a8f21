import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { segmentsOf } from '../../src/cache/filed-days.ts';
import { clip, inUpstreamOrder, overlay, type Segments } from '../../src/cache/segments.ts';
import { gaps } from '../../src/spans.ts';
import type { Day, Span } from '../../src/time.ts';
import type { Answer } from '../../src/upstream/endpoint.ts';
import { daysOf, LAST_DAY, originAt, runsOf, span, spans } from './days.ts';

const RUNS = { numRuns: 1000 };

/** When answers are filed. */
const FILED_AT = { aging: 0, now: 0 };

interface Event {
  day: Day;
  name: string;
}

/** Days expire in groups of three, so that segments begin and end in the middle of answers. */
const rules = {
  dataset: 'events',
  dayOf: ({ day }: Event) => day,
  freshFor: (day: Day) => Math.floor(day / 3),
};

/** How many events an upstream has on each day. */
const world = fc.array(fc.nat(3), { minLength: LAST_DAY + 1, maxLength: LAST_DAY + 1 });

function eventsOf(counts: readonly number[], asked: Span, order: 1 | -1): Event[] {
  const days = [...daysOf([asked])].toSorted((a, b) => (a - b) * order);
  return days.flatMap((day) =>
    Array.from({ length: counts[day] ?? 0 }, (_, i) => ({ day, name: `${day}.${i}` })),
  );
}

function answerOf(events: readonly Event[], retrievedAt: number, pageSize = Infinity) {
  const records = events.slice(0, pageSize);
  const cutShort = records.length < events.length;
  const about = { total: events.length, bytes: 0, warnings: [] };
  return { origin: originAt(retrievedAt), records, cutShort, ...about } satisfies Answer<Event>;
}

const order = fc.constantFrom<1 | -1>(1, -1);
const daysHeld = (segments: Segments<Event>) =>
  segments.flatMap(({ entries }) => entries.map(({ day, record }) => [day, record.day]));

test('a whole answer covers each of its days, with or without records', () => {
  fc.assert(
    fc.property(world, span, order, (counts, asked, way) => {
      const events = eventsOf(counts, asked, way);
      const segments = segmentsOf(answerOf(events, 0), asked, rules, FILED_AT);
      expect(segments.flatMap((one) => [...daysOf([one])])).toEqual([...daysOf([asked])]);
      expect(inUpstreamOrder(segments)).toEqual(events);
      for (const [filed, own] of daysHeld(segments)) expect(filed).toBe(own);
    }),
    RUNS,
  );
});

test('neighboring days share a segment exactly if they expire together', () => {
  fc.assert(
    fc.property(world, span, (counts, asked) => {
      const segments = segmentsOf(answerOf(eventsOf(counts, asked, 1), 0), asked, rules, FILED_AT);
      const byTurn = Map.groupBy(daysOf([asked]), (day) => Math.floor(day / 3));
      const expected = [...byTurn].map(([turn, days]) => [turn, days[0], days.at(-1)]);
      const found = segments.map(({ expiresAt, start, end }) => [expiresAt, start, end]);
      expect(found).toEqual(expected);
    }),
    RUNS,
  );
});

test('a day expires when the first of its records is due to change, and no other day does', () => {
  const changesIn = ({ name }: Event) => (name.endsWith('.1') ? 5 : Infinity);
  fc.assert(
    fc.property(world, span, order, (counts, asked, way) => {
      const answer = answerOf(eventsOf(counts, asked, way), 0);
      for (const segment of segmentsOf(answer, asked, { ...rules, changesIn }, FILED_AT))
        for (const day of daysOf([segment])) {
          const isAwaited = (counts[day] ?? 0) > 1;
          const own = rules.freshFor(day);
          expect(segment.expiresAt).toBe(isAwaited ? Math.min(5, own) : own);
        }
    }),
    RUNS,
  );
});

test('durations count from the filing, on the monotonic clock, however long the answer took', () => {
  const releasesAt = 1_000_000;
  const changesIn = (_event: Event, now: number) => releasesAt - now;
  const freshFor = () => 60_000;
  const answer = answerOf([{ day: 3, name: 'release' }], releasesAt - 5000);
  const at = { aging: -70_000, now: releasesAt - 4000 };
  const segments = segmentsOf(answer, { start: 2, end: 3 }, { ...rules, freshFor, changesIn }, at);
  expect(segments.map(({ expiresAt }) => expiresAt)).toEqual([-10_000, -66_000]);
});

test('an answer cut short covers only days that it holds all records of', () => {
  fc.assert(
    fc.property(world, span, order, fc.nat(20), (counts, asked, way, pageSize) => {
      const events = eventsOf(counts, asked, way);
      const answer = answerOf(events, 0, pageSize);
      const segments = segmentsOf(answer, asked, rules, FILED_AT);
      const covered = daysOf(segments);
      const complete = events.filter(({ day }) => covered.has(day));
      expect(inUpstreamOrder(segments)).toEqual(complete);
      expect(answer.records).toEqual(expect.arrayContaining(complete));
    }),
    RUNS,
  );
});

test('an answer cut short whose days have no order is sure of no day', () => {
  const events = [1, 9, 4, 6, 9].map((day) => ({ day, name: String(day) }));
  const answer = { ...answerOf(events, 0), cutShort: true };
  expect(segmentsOf(answer, { start: 0, end: 9 }, rules, FILED_AT)).toEqual([]);
});

/** Many of them are of one day, which does not reveal the order of days. */
const shortSpans = fc.array(
  fc.tuple(fc.nat(LAST_DAY - 2), fc.nat(2)).map(([start, more]) => ({ start, end: start + more })),
);

/** Answers about these spans, one a millisecond, each replacing earlier ones where they overlap. */
function held(counts: readonly number[], asked: readonly Span[], way: 1 | -1): Segments<Event> {
  return asked
    .map((one, at) => segmentsOf(answerOf(eventsOf(counts, one, way), at), one, rules, FILED_AT))
    .reduce(overlay, []);
}

test('each day is held once, by the newest answer about it, in ascending order', () => {
  fc.assert(
    fc.property(world, spans, (counts, asked) => {
      const found = held(counts, asked, 1).flatMap((one) =>
        [...daysOf([one])].map((day) => [day, one.origin.retrievedAt]),
      );
      const expected = [...daysOf(asked)]
        .toSorted((a, b) => a - b)
        .map((day) => [day, asked.findLastIndex((one) => daysOf([one]).has(day))]);
      expect(found).toEqual(expected);
    }),
    RUNS,
  );
});

test('a part that is cut out has the days and records of its span and nothing else', () => {
  fc.assert(
    fc.property(world, spans, span, order, (counts, asked, wanted, way) => {
      const all = held(counts, asked, way);
      const part = clip(all, wanted);
      const days = daysOf(asked).intersection(daysOf([wanted]));
      expect(runsOf(daysOf(part))).toEqual(runsOf(days));
      expect(daysHeld(part)).toEqual(daysHeld(all).filter(([day]) => days.has(day!)));
      expect(gaps(part, wanted)).toEqual(gaps(all, wanted));
    }),
    RUNS,
  );
});

test('several answers together have the order of one answer', () => {
  fc.assert(
    fc.property(world, shortSpans, span, order, (counts, asked, wanted, way) => {
      const parts = clip(held(counts, asked, way), wanted);
      const days = daysOf(parts);
      const expected = eventsOf(counts, wanted, way).filter(({ day }) => days.has(day));
      expect(inUpstreamOrder(parts, way)).toEqual(expected);
    }),
    RUNS,
  );
});

test('one answer keeps its order, whatever that of others was', () => {
  const asked = { start: 1, end: 3 };
  const events = [3, 1, 2].map((day) => ({ day, name: `${day}` }));
  const eachDayAlone = { ...rules, freshFor: (day: Day) => day };
  const segments = segmentsOf(answerOf(events, 0), asked, eachDayAlone, FILED_AT);
  expect(segments).toHaveLength(3);
  expect(inUpstreamOrder(segments, 1)).toEqual(events);
});
