import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { planRequests, widen } from '../../src/cache/plan.ts';
import { contains, gaps, lengthOf, subtract, union } from '../../src/spans.ts';
import type { Span } from '../../src/time.ts';
import { countOf, daysOf, fewest, maxDays, runsOf, span, spans } from './days.ts';

const RUNS = { numRuns: 2000 };

test('a union has the days of its spans, in ascending spans that do not even touch', () => {
  fc.assert(
    fc.property(spans, (all) => {
      expect(union(all)).toEqual(runsOf(daysOf(all)));
    }),
    RUNS,
  );
});

test('a difference has the days that are not covered, as the fewest spans', () => {
  fc.assert(
    fc.property(spans, spans, (all, covered) => {
      const left = daysOf(all).difference(daysOf(covered));
      expect(subtract(all, covered)).toEqual(runsOf(left));
    }),
    RUNS,
  );
});

test('gaps are the wanted days that are not covered', () => {
  fc.assert(
    fc.property(spans, span, (covered, wanted) => {
      const left = daysOf([wanted]).difference(daysOf(covered));
      expect(gaps(union(covered), wanted)).toEqual(runsOf(left));
    }),
    RUNS,
  );
});

/** A query as the cache sees it: what is fresh, what is in flight, what is wanted. */
const situation = fc.record({ fresh: spans, inFlight: spans, wanted: spans, maxDays });
type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;

function planOf({ fresh, inFlight, wanted, maxDays: longest }: Situation): Span[] {
  const missing = wanted.flatMap((want) => gaps(union(fresh), want));
  return planRequests(missing, inFlight, longest);
}

test('days requested, fresh and in flight cover all that are wanted', () => {
  fc.assert(
    fc.property(situation, (given) => {
      const available = daysOf([...given.fresh, ...given.inFlight, ...planOf(given)]);
      expect(daysOf(given.wanted).difference(available)).toEqual(new Set());
    }),
    RUNS,
  );
});

test('there are as few requests as the limit allows, and never more than there are gaps', () => {
  fc.assert(
    fc.property(situation, (given) => {
      const left = runsOf(
        daysOf(given.wanted).difference(daysOf([...given.fresh, ...given.inFlight])),
      );
      const { length } = planOf(given);
      expect(length).toBeLessThanOrEqual(left.length);
      expect(length).toBe(fewest(left, daysOf(given.inFlight), given.maxDays));
    }),
    RUNS,
  );
});

test('one request is enough if the limit allows it and nothing in between is in flight', () => {
  fc.assert(
    fc.property(spans, spans, (fresh, wants) => {
      const all = planOf({ fresh, inFlight: [], wanted: wants, maxDays: Infinity });
      const isFresh = daysOf(wants).isSubsetOf(daysOf(fresh));
      expect(all).toHaveLength(isFresh ? 0 : 1);
    }),
    RUNS,
  );
});

test('no day is requested twice, or while it is in flight', () => {
  fc.assert(
    fc.property(situation, (given) => {
      const all = planOf(given);
      expect(countOf(all)).toBe(daysOf(all).size);
      expect(daysOf(all).isDisjointFrom(daysOf(given.inFlight))).toBe(true);
    }),
    RUNS,
  );
});

test('only a single gap is longer than the limit', () => {
  fc.assert(
    fc.property(situation, (given) => {
      const left = runsOf(
        daysOf(given.wanted).difference(daysOf([...given.fresh, ...given.inFlight])),
      );
      const long = planOf(given).filter((request) => lengthOf(request) > given.maxDays);
      expect(left).toEqual(expect.arrayContaining(long));
    }),
    RUNS,
  );
});

/** A request as planned, and what surrounds it. */
const widening = fc
  .record({ request: span, target: span, covered: spans, busy: spans, maxDays })
  .filter(({ request, busy }) => daysOf([request]).isDisjointFrom(daysOf(busy)));

test('a request that grows loses no day', () => {
  fc.assert(
    fc.property(widening, ({ request, target, maxDays: longest, ...around }) => {
      expect(contains(widen(request, target, around, longest), request)).toBe(true);
    }),
    RUNS,
  );
});

test('a request never grows past the limit', () => {
  fc.assert(
    fc.property(widening, ({ request, target, maxDays: longest, ...around }) => {
      const widened = widen(request, target, around, longest);
      expect(lengthOf(widened)).toBeLessThanOrEqual(Math.max(longest, lengthOf(request)));
    }),
    RUNS,
  );
});

test('a request never grows into days that are in flight', () => {
  fc.assert(
    fc.property(widening, ({ request, target, maxDays: longest, ...around }) => {
      const wide = widen(request, target, around, longest);
      expect(daysOf([wide]).isDisjointFrom(daysOf(around.busy))).toBe(true);
    }),
    RUNS,
  );
});

test('without a limit a request grows to all adjacent missing days of its target', () => {
  fc.assert(
    fc.property(span, span, spans, (request, target, covered) => {
      const around = { covered, busy: [] };
      const wide = widen(request, target, around, Infinity);
      const reach = union([target, request]).find((one) => contains(one, request))!;
      const missing = daysOf([reach]).difference(daysOf(covered));
      expect(missing.isSubsetOf(daysOf([wide]))).toBe(true);
    }),
    RUNS,
  );
});

test('a request that cannot reach all missing days asks for no covered ones besides its own', () => {
  fc.assert(
    fc.property(widening, ({ request, target, maxDays: longest, ...around }) => {
      const wide = widen(request, target, around, longest);
      const missing = daysOf([widen(request, target, around, Infinity)]).difference(
        daysOf(around.covered),
      );
      fc.pre(!missing.isSubsetOf(daysOf([wide])));
      const added = daysOf([wide]).difference(daysOf([request]));
      expect(added.isDisjointFrom(daysOf(around.covered))).toBe(true);
    }),
    RUNS,
  );
});

test('a request closes the smaller gap first, and of two gaps of the same size the later one', () => {
  const request = { start: 100, end: 104 };
  const between = (start: number, end: number, longest: number) => {
    const covered = [
      { start: 0, end: start },
      { start: end, end: 200 },
    ];
    return widen(request, { start: -300, end: 500 }, { covered, busy: [] }, longest);
  };
  expect(between(96, 150, 10)).toEqual({ start: 97, end: 106 });
  expect(between(50, 108, 10)).toEqual({ start: 98, end: 107 });
  expect(between(90, 114, 10)).toEqual({ start: 100, end: 109 });
  expect(between(99, 150, 10)).toEqual({ start: 100, end: 109 });
});
