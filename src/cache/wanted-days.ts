import type { Span } from '../time.ts';
import type { Asked, AskedSpan } from '../shared/shared.ts';
import { merge } from './plan.ts';
import { hullOf, isSame, union } from '../spans.ts';

/** The days that a request asks for. */
export interface WantedDays extends Span {
  /** The days from the first to the last that somebody waits for. */
  needed: Span;
  /** The spans that somebody waits for, as far as they lie in `needed`; undefined: all of it. */
  parts?: readonly Span[];
  /** Whether no other days may be added, so that a refusal is about these. */
  isExact?: boolean;
}

/** A request for days that are all needed. */
export const wantedDays = (span: Span | undefined): WantedDays | undefined =>
  span && { ...span, needed: span };

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
  const { needed, parts = [needed] } = wanted;
  return both && { ...both, needed: hullOf(union([needed, span]))!, parts: [...parts, span] };
}

/**
 * The same request extended to `asked`, which also holds the days that other processes wait for. Undefined if that
 * changes nothing or the request is exact. Days that touch are never split, however many.
 */
export function withOthers(wanted: WantedDays, asked: Asked): WantedDays | undefined {
  const isOther = asked !== null && 'start' in asked && !isSame(wanted, asked);
  return isOther && !wanted.isExact ? wantedDays(asked) : undefined;
}

/** What a request asks for, as it is stored. Only a widened one can be replaced by a shorter one. */
export const askedBy = ({ start, end, needed }: WantedDays): AskedSpan =>
  isSame({ start, end }, needed) ? { start, end } : { start, end, isWidened: true };

export const wantedBy = <W>(requests: readonly { wanted: W }[]): W[] =>
  requests.map(({ wanted }) => wanted);
