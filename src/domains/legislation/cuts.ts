import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../../bounded-map.ts';
import type { Gateway } from '../../graph/context.ts';
import { contains } from '../../spans.ts';
import type { Span } from '../../time.ts';
import { type FilteredScope, scopeKey } from './keys.ts';

/** What is known of answers that were cut short: the upstream had more records than it sent. */

/** Maximum number of scopes whose answers are remembered as cut short. */
const MAX_CUTS = 1000;

const cutsOf = createContextCache((_gateway: Gateway) => ({
  /** Whether any answer was cut short since the start. */
  any: false,
  /** The last cut range of each scope, and until when it is not requested by day again (as `Aging` counts time). */
  byScope: createBoundedMap<string, { span: Span; until: number }>(MAX_CUTS),
}));

/** Whether any answer has been cut short since the start. */
export const wasAnyCut = (gateway: Gateway): boolean => cutsOf(gateway).any;

export function noteAnyCut(gateway: Gateway): void {
  cutsOf(gateway).any = true;
}

/**
 * Remembers a range whose answer, which came at `at`, was cut short. It would be again as long as no records are
 * removed, so it is not requested by day for `ttl.settledDays`.
 */
export function noteCutRange(gateway: Gateway, range: FilteredScope & Span, at: number): void {
  noteAnyCut(gateway);
  const { start, end } = range;
  const until = at + gateway.settings.ttl.settledDays;
  cutsOf(gateway).byScope.set(scopeKey(range), { span: { start, end }, until });
}

/** Forgets the cut range of a scope, since a whole answer about all of it has come. */
export function forgetCut(gateway: Gateway, scope: FilteredScope, days: Span): void {
  const { byScope } = cutsOf(gateway);
  const known = byScope.get(scopeKey(scope));
  if (known && contains(days, known.span)) byScope.delete(scopeKey(scope));
}

/** Whether the answer about a range is known to be cut short: requesting it by day would waste a credit. */
export function isKnownCut(gateway: Gateway, scope: FilteredScope, span: Span): boolean {
  const known = cutsOf(gateway).byScope.get(scopeKey(scope));
  return (
    known !== undefined &&
    gateway.governors.credits.now() < known.until &&
    contains(span, known.span)
  );
}
