import { gaps, hullOf, lengthOf } from '../spans.ts';
import type { Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import { clip, type Segments } from './segments.ts';

/** Tells answers that may lack all records only for a moment, as after a restart of the upstream (spec section 7). */

/**
 * Whether an answer is provisional. One without records is if there have been records of its days, or if it is the first
 * about more than `maxEmptyDays` of them: the next one without records is believed.
 */
export function isUnsure(
  { records, isProvisional = false, origin }: Answer<unknown>,
  span: Span,
  known: Segments<unknown>,
  maxEmptyDays = Infinity,
): boolean {
  if (isProvisional || records.length > 0) return isProvisional;
  const before = clip(known, span);
  if (before.some(({ entries, isOld }) => entries.length > 0 && !isOld)) return true;
  // A stored answer may be read twice: that does not confirm it.
  const earlier = before.filter((one) => one.origin.retrievedAt < origin.retrievedAt);
  const unknownDays = gaps(earlier, span).reduce((days, gap) => days + lengthOf(gap), 0);
  return unknownDays > maxEmptyDays && lengthOf(span) - unknownDays <= maxEmptyDays;
}

/**
 * The known segments that outlast a provisional answer about the same days: those that are fresh for longer and, if the
 * answer brings no records, those with old records, too.
 */
export function outlasting<R>(known: Segments<R>, received: Segments<R>): Segments<R> {
  const [answer] = received;
  if (!answer?.isProvisional) return [];
  const { at, expiresAt } = answer;
  const isEmpty = received.every(({ entries }) => entries.length === 0);
  return clip(known, hullOf(received)!).flatMap((segment) => {
    // From now on it lives for as long as it would have: clients of high priority must not ask again each time.
    if (segment.expiresAt > expiresAt) return [isEmpty ? { ...segment, at } : segment];
    return isEmpty && segment.entries.length > 0
      ? [{ ...segment, at, expiresAt, isOld: true, warnings: answer.warnings }]
      : [];
  });
}
