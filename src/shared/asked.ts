import { z } from 'zod';
import { contains, lengthOf, overlap, subtract } from '../spans.ts';
import type { Span } from '../time.ts';
import type { Asked } from './shared.ts';

/** What answers about the same key are about: checked, and compared with each other. */

export const ABOUT = {
  all: z.null(),
  days: z.compile(
    z.object({ start: z.int(), end: z.int(), isProvisional: z.boolean().optional() }),
  ),
  names: z.compile(z.array(z.string())),
};

const isSpan = (one: Asked): one is Span => one !== null && 'start' in one;
const isNames = (one: Asked): one is readonly string[] => Array.isArray(one);

/** Whether the two have days or names in common. */
export function overlaps(a: Asked, b: Asked): boolean {
  if (isSpan(a) && isSpan(b)) return overlap(a, b);
  if (isNames(a) && isNames(b)) return !new Set(a).isDisjointFrom(new Set(b));
  return true;
}

/**
 * Extends `asked` by every wanted range that touches it, directly or through another such range: whoever wants
 * one of those has to wait for this request anyway. What is no range of days stays as it is.
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

/**
 * How much of `older`, in days or names, no newer answer is about: what it is still good for. One about
 * all there is is good for as much as any, until there is a newer one.
 */
export function stillGoodFor(older: Asked, newer: readonly Asked[]): number {
  if (isSpan(older)) return daysLeft(older, newer.filter(isSpan));
  if (isNames(older)) return namesLeft(older, newer.filter(isNames));
  return newer.length > 0 ? 0 : Infinity;
}

function namesLeft(names: readonly string[], newer: readonly (readonly string[])[]): number {
  const left = new Set(names);
  for (const other of newer) for (const name of other) left.delete(name);
  return left.size;
}

const daysLeft = (span: Span, newer: readonly Span[]): number =>
  subtract([span], newer).reduce((days, left) => days + lengthOf(left), 0);

/** Of one key. A range that moves on by a day each day leaves a day behind each time. */
const MOST_ANSWERS = 16;

/**
 * Which of the answers, the newest first, need not be kept: those that newer ones replace, and those
 * good for the least where there are too many. The first one always stays.
 */
export function superfluous<A extends { asked: Asked }>(answers: readonly A[]): A[] {
  const rated = answers.map((answer, i) => {
    const newer = answers.slice(0, i).map(({ asked }) => asked);
    return { answer, left: stillGoodFor(answer.asked, newer), age: i };
  });
  const good = rated.filter(({ left, age }) => left > 0 || age === 0);
  const first = good.toSorted((a, b) => b.left - a.left || a.age - b.age).slice(0, MOST_ANSWERS);
  const kept = new Set([answers[0], ...first.map(({ answer }) => answer)]);
  return answers.filter((answer) => !kept.has(answer));
}
