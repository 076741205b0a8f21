import { hullOf, lengthOf } from '../spans.ts';
import type { Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import { entriesOf, type FilingRules, MIN_STEP_DAYS, orderOf } from './filed-days.ts';

/** Answers that look as if they were cut short, although nothing in them says so, and what to do about cut ones. */

/** Usual maximum numbers of records in an answer; the spec names none. */
const USUAL_MAXIMA = new Set([50, 100, 200, 250, 300, 500, 1000, 2000, 5000, 10_000]);

/**
 * Whether an answer has exactly a usual maximum of records, and ends further from the end of its range than any two
 * neighboring records lie apart (at least MIN_STEP_DAYS). By chance that is rare, and costs a unit; but days taken for
 * empty would be wrong for a day.
 */
export function seemsCutShort<R>(
  { cutShort, records, received = records.length }: Answer<R>,
  span: Span,
  rules: FilingRules<R>,
): boolean {
  if (cutShort || !USUAL_MAXIMA.has(received)) return false;
  const entries = entriesOf(records, span, rules);
  const order = orderOf(entries);
  const last = entries.at(-1);
  if (!last || order === 0) return false;
  const steps = entries.slice(1).map(({ day }, i) => Math.abs(day - entries[i]!.day));
  const rest = order === 1 ? span.end - last.day : last.day - span.start;
  return rest > Math.max(MIN_STEP_DAYS, ...steps);
}

/**
 * How many records such an answer would have if it was not cut short and its other days had as many as those that it
 * covers. Requests stay as long as that allows: if all of its days counted, the next ones would be cut, too.
 */
export const presumedTotal = (count: number, span: Span, covered: readonly Span[]): number =>
  (count * lengthOf(span)) / lengthOf(hullOf(covered) ?? span);

/**
 * Whether the days that a cut answer lacks may come whole if they are asked for alone: if it only looked as if it was
 * cut, or was about more days, and the rest is expected to have room in one answer (`fits`).
 */
export function mayBeWhole(
  requests: readonly { wanted: { isExact?: boolean } }[],
  { brought }: { brought: readonly { seemsCut?: boolean }[] },
  fits: () => boolean,
): boolean {
  const isTried = requests.every(({ wanted }) => wanted.isExact);
  return brought.some(({ seemsCut }) => seemsCut) || (!isTried && fits());
}
