import type { Span } from '../time.ts';
import type { Asked, AskedSpan } from '../shared/shared.ts';
import { merge } from './plan.ts';
import type { InFlight } from './single-flight.ts';
import { contains, hullOf, isSame, lengthOf, subtract, union } from '../spans.ts';

/** The days that a question asks for. */
export interface QuestionDays extends Span {
  /**
   * Whether the days are asked for to find the last values of a series. They do not make requests for
   * other keys longer, and if the upstream refuses them, the refusal is the result even if old data is
   * cached: fewer days can be asked for.
   */
  isForLastValues?: boolean;
  /** Whether the request is not widened, because the upstream has just refused one that reached further. */
  isNarrow?: boolean;
  /** Whether fewer days are asked for next if the upstream answers 404, instead of taking these for empty. */
  isTentative?: boolean;
}

/** What is not cached of the ranges that are asked for together. */
export interface OpenDays extends Pick<QuestionDays, 'isNarrow' | 'isTentative'> {
  missing: readonly Span[];
  /** The length of the longest of these ranges, in days. */
  longest: number;
}

/** Sums up the ranges that are asked for together; `missing`: what is not cached of each. */
export const openDaysOf = (
  spans: readonly QuestionDays[],
  missing: readonly (readonly Span[])[],
): OpenDays => ({
  missing: missing.flat(),
  longest: Math.max(0, ...spans.map(lengthOf)),
  isNarrow: spans.every(({ isNarrow }) => isNarrow),
  isTentative: spans.some(({ isTentative }) => isTentative),
});

/** The days that a request asks for. */
export interface WantedDays extends Span {
  /** The days from the first to the last that somebody waits for. */
  needed: Span;
  /** The spans that somebody waits for, as far as they lie in `needed`; undefined: all of it. */
  parts?: readonly Span[];
  /** Whether no other days may be added, so that a refusal is about these. */
  isExact?: boolean;
  /** Whether somebody asks for fewer days next if the upstream answers 404. */
  isTentative?: boolean | undefined;
}

/** The days that somebody waits for, as text. */
export const neededBy = ({ needed }: WantedDays): string => `${needed.start} ${needed.end}`;

/** The spans that somebody waits for, as far as that is known. */
const awaitedParts = ({ needed, parts = [needed] }: WantedDays): readonly Span[] => parts;

/** Whether somebody waits for fewer days than were asked for, or will ask for fewer: those may be found after a 404. */
export const isForFewer = (wanted: WantedDays, asked: Span): boolean =>
  wanted.isTentative === true || awaitedParts(wanted).some((part) => !contains(part, asked));

/**
 * The same request with `span` added, which is needed, too. Undefined if the request is exact, or would be longer than
 * `maxDays` or reach into days that others ask for (`busy`, which may list the request itself).
 */
export function withDays(
  wanted: WantedDays,
  span: Span,
  busy: readonly Span[],
  maxDays: number,
): WantedDays | undefined {
  if (wanted.isExact) return undefined;
  const others = busy.filter((other) => other !== wanted);
  const both = merge(wanted, span, others, maxDays);
  const needed = hullOf(union([wanted.needed, span]))!;
  return both && { ...both, needed, parts: [...awaitedParts(wanted), span] };
}

/**
 * The same request extended to `asked`, which also holds the days that other processes wait for. Undefined if that
 * changes nothing or the request is exact. No maximum length applies: ranges of processes that touch go out as one.
 */
export function withOthers(wanted: WantedDays, asked: Asked): WantedDays | undefined {
  const isOther = asked !== null && 'start' in asked && !isSame(wanted, asked);
  return isOther && !wanted.isExact ? restOf(wanted, asked) : undefined;
}

/** The request for those days that are still missing, of all that `wanted` asks for; undefined if there are none. */
export const restOf = (wanted: WantedDays, missing: Span | undefined): WantedDays | undefined =>
  missing && {
    start: missing.start,
    end: missing.end,
    needed: missing,
    parts: awaitedParts(wanted),
    isTentative: wanted.isTentative,
  };

/**
 * What a request asks for, as it is stored. A widened one also asks for days that nobody waits for, be it only between
 * those of two questions. Only its answer may be presumed to be cut short (seems-cut.ts), since fewer days can be asked
 * for next.
 */
export function askedBy(wanted: WantedDays): AskedSpan {
  const { start, end } = wanted;
  const isWidened = subtract([{ start, end }], awaitedParts(wanted)).length > 0;
  return isWidened ? { start, end, isWidened } : { start, end };
}

export const wantedBy = <W>(requests: readonly { wanted: W }[]): W[] =>
  requests.map(({ wanted }) => wanted);

/**
 * Waits for a request that will bring all of `span`, if there is one, and resolves however it ends. One that has not
 * been sent yet is not awaited: it can be widened.
 */
export async function whenBrought(
  span: Span,
  requests: readonly InFlight<WantedDays, unknown>[],
): Promise<void> {
  const sent = requests.filter(({ isDispatched }) => isDispatched);
  await sent.find(({ wanted }) => contains(wanted, span))?.result.catch(() => undefined);
}
