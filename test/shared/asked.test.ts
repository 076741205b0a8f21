import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { overlaps, countUncovered, findRedundant, withWanted } from '../../src/shared/asked.ts';

/** The parts that answers cover, compared with lists of all their days and names. */

const span = fc
  .tuple(fc.nat(30), fc.nat(30))
  .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
const kind = fc.constantFrom('days', 'names', 'all');
type Part = { start: number; end: number } | readonly string[] | null;

/** Several parts of one kind, as all parts of a key are. */
const sameKind = kind.chain((one): fc.Arbitrary<Part[]> => {
  if (one === 'all') return fc.array(fc.constant(null), { maxLength: 6 });
  return one === 'days' ? fc.array(span, { maxLength: 30 }) : fc.array(names, { maxLength: 30 });
});

function itemsOf(part: Part): Set<unknown> {
  if (part === null) return new Set(['all']);
  if (!('start' in part)) return new Set(part);
  return new Set(Array.from({ length: part.end - part.start + 1 }, (_, i) => part.start + i));
}

const leftOf = (part: Part, newer: readonly Part[]) =>
  newer.reduce((left, other) => left.difference(itemsOf(other)), itemsOf(part)).size;

test('two parts overlap if they have something in common', () => {
  fc.assert(
    fc.property(sameKind, (parts) => {
      const [a, b] = parts;
      if (a === undefined || b === undefined) return;
      expect(overlaps(a, b)).toBe(!itemsOf(a).isDisjointFrom(itemsOf(b)));
    }),
  );
});

test('other wanted ranges are added if they touch, and nothing else is', () => {
  fc.assert(
    fc.property(span, fc.array(span, { maxLength: 6 }), (asked, wanted) => {
      const all = withWanted(asked, wanted);
      const isAdded = (day: unknown) => itemsOf(all).has(day);
      const days = new Set([asked, ...wanted].flatMap((part) => [...itemsOf(part)]));
      expect([...itemsOf(asked)].every(isAdded)).toBe(true);
      expect([...itemsOf(all)].every((day) => days.has(day))).toBe(true);
      for (const part of wanted) {
        const touching = { start: part.start - 1, end: part.end + 1 };
        expect([...itemsOf(part)].every(isAdded)).toBe(overlaps(all, touching));
      }
    }),
  );
});

test('an answer is good for what no newer one covers', () => {
  fc.assert(
    fc.property(sameKind, (parts) => {
      const [older, ...newer] = parts;
      if (older === undefined || (older === null && newer.length === 0)) return;
      expect(countUncovered(older, newer)).toBe(leftOf(older, newer));
    }),
  );
});

test('at most seventeen answers are kept: the newest, and others that are still good', () => {
  fc.assert(
    fc.property(sameKind, (parts) => {
      const answers = parts.map((asked, number) => ({ asked, number }));
      const removed = findRedundant(answers);
      const kept = answers.filter((answer) => !removed.includes(answer));
      expect(kept.length).toBeLessThanOrEqual(17);
      expect(kept[0]).toBe(answers[0]);
      const good = answers.filter(
        ({ asked, number }) => leftOf(asked, parts.slice(0, number)) > 0 || number === 0,
      );
      expect(good).toEqual(expect.arrayContaining(kept));
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(16, good.length));
    }),
  );
});

test('at most seventeen answers are kept, whichever of them have no records', () => {
  const flags = fc.tuple(fc.boolean(), fc.boolean());
  const answer = fc
    .tuple(span, flags)
    .map(([days, [isEmpty, isProvisional]]) => ({ asked: { ...days, isProvisional }, isEmpty }));
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 40 }), (answers) => {
      const removed = findRedundant(answers);
      expect(answers.length - removed.length).toBeLessThanOrEqual(17);
      expect(removed).not.toContain(answers[0]);
    }),
  );
});

test('an answer is kept as long as no newer one may replace it', () => {
  const day = { start: 5, end: 5 };
  const kept = (...newestFirst: { asked: Part & object; isEmpty?: boolean }[]) => {
    const removed = new Set(findRedundant(newestFirst));
    return newestFirst.map((answer) => !removed.has(answer));
  };
  const full = { asked: day };
  const empty = { asked: day, isEmpty: true };
  const provisional = { asked: { ...day, isProvisional: true } };
  const elsewhere = { asked: { start: 8, end: 9 }, isEmpty: true };
  expect(kept({ ...full }, empty, full)).toEqual([true, false, false]);
  expect(kept({ ...empty }, { ...empty }, { ...empty }, full)).toEqual([true, false, true, true]);
  expect(kept({ ...empty }, { ...empty }, elsewhere, full)).toEqual([true, true, true, true]);
  expect(kept({ ...empty }, { ...empty })).toEqual([true, false]);
  expect(kept({ ...provisional }, provisional, full)).toEqual([true, false, true]);
  expect(kept({ ...full }, provisional, full)).toEqual([true, false, false]);
});
