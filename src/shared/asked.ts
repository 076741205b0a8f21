import { z } from 'zod';
import { contains, lengthOf, overlap, subtract } from '../spans.ts';
import type { Span } from '../time.ts';
import type { Asked } from './shared.ts';

/** Checks, compares and extends what the answers under one key cover: days, names or everything. */

export const ABOUT = {
  all: z.null(),
  days: z.compile(
    z.object({
      start: z.int(),
      end: z.int(),
      isProvisional: z.boolean().optional(),
      isWidened: z.boolean().optional(),
    }),
  ),
  names: z.compile(z.array(z.string())),
};

const isSpan = (one: Asked): one is Span => one !== null && 'start' in one;
const isNames = (one: Asked): one is readonly string[] => Array.isArray(one);

/** Whether the two have days or names in common; everything (null) overlaps with anything. */
export function overlaps(a: Asked, b: Asked): boolean {
  if (isSpan(a) && isSpan(b)) return overlap(a, b);
  if (isNames(a) && isNames(b)) return !new Set(a).isDisjointFrom(new Set(b));
  return true;
}

/**
 * Extends `asked` by every wanted range that overlaps or adjoins it, directly or through another such range: processes
 * that want one of those have to wait for this request anyway. Anything but a range of days is returned unchanged.
 */
export function withWanted(asked: Asked, wanted: readonly Asked[]): Asked {
  if (!isSpan(asked)) return asked;
  const touching = wanted
    .filter(isSpan)
    .find((one) => touches(one, asked) && !contains(asked, one));
  if (!touching) return asked;
  const start = Math.min(asked.start, touching.start);
  return withWanted({ start, end: Math.max(asked.end, touching.end) }, wanted);
}

const touches = (a: Span, b: Span) => overlap(a, { start: b.start - 1, end: b.end + 1 });

/** Returns how much of `all` another request asks for, in days or names: 1 if that is everything, or cannot be told. */
export function shareOf(asked: Asked, all: Asked): number {
  if (isSpan(asked) && isSpan(all)) return lengthOf(asked) / lengthOf(all);
  if (isNames(asked) && isNames(all)) return asked.length / all.length;
  return 1;
}

/**
 * Returns how many days or names of `older` no newer answer covers; for an answer that covers everything, Infinity
 * until there is a newer one.
 */
export function countUncovered(older: Asked, newer: readonly Asked[]): number {
  if (isSpan(older)) return countUncoveredDays(older, newer.filter(isSpan));
  if (isNames(older)) return countUncoveredNames(older, newer.filter(isNames));
  return newer.length > 0 ? 0 : Infinity;
}

function countUncoveredNames(
  names: readonly string[],
  newer: readonly (readonly string[])[],
): number {
  const left = new Set(names);
  for (const other of newer) for (const name of other) left.delete(name);
  return left.size;
}

const countUncoveredDays = (span: Span, newer: readonly Span[]): number =>
  subtract([span], newer).reduce((days, left) => days + lengthOf(left), 0);

/**
 * Maximum number of answers per key. A range that moves on daily leaves an answer behind each day, which still covers
 * one day that newer ones do not.
 */
const MAX_ANSWERS = 16;

/** What an answer covers, and whether it has no records. */
interface Covering {
  asked: Asked;
  isEmpty?: boolean | undefined;
}

/**
 * Returns what is covered by those of the newer answers that may replace the one at `i`, as they do in a cache: a
 * provisional one replaces only provisional ones, and one without records only such ones. The first without records
 * after one that has some stays: it tells since when there are none.
 */
function coveredByNewer(answers: readonly Covering[], i: number): Asked[] {
  const older = answers[i]!;
  const findBefore = () => answers.slice(i + 1).find(({ asked }) => overlaps(asked, older.asked));
  const before = older.isEmpty ? findBefore() : undefined;
  const isFirstEmpty = before !== undefined && !before.isEmpty;
  const isFinal = ({ asked }: Covering) => !(isSpan(asked) && asked.isProvisional);
  return answers
    .slice(0, i)
    .filter(({ isEmpty }) => !isEmpty || (older.isEmpty && !isFirstEmpty))
    .filter((one) => isFinal(one) || !isFinal(older))
    .map(({ asked }) => asked);
}

/**
 * Returns which of the answers (newest first) need not be kept: those that newer ones replace and, if there are too
 * many, those with the fewest days or names that no newer one covers. The newest one always stays.
 */
export function findRedundant<A extends Covering>(answers: readonly A[]): A[] {
  const rated = answers.map((answer, i) => {
    const uncovered = countUncovered(answer.asked, coveredByNewer(answers, i));
    return { answer, uncovered, age: i };
  });
  const good = rated.filter(({ uncovered, age }) => uncovered > 0 || age === 0);
  const first = good
    .toSorted((a, b) => b.uncovered - a.uncovered || a.age - b.age)
    .slice(0, MAX_ANSWERS);
  const kept = new Set([answers[0], ...first.map(({ answer }) => answer)]);
  return answers.filter((answer) => !kept.has(answer));
}
