import { gaps, subtract } from '../spans.ts';
import type { Span } from '../time.ts';
import { allowsStale, CutShort, isRefused } from './cached.ts';
import { lacksOnlyNewDays, type WallTime } from './new-days.ts';
import { overlay, type Segments, within } from './segments.ts';
import type { QuestionDays } from './wanted-days.ts';

/** How a question about days is answered from what is cached and what its requests have brought. */

/** What is cached of a key, and the part of it that is fresh for an operation. */
export interface CachedDays<R> {
  all: Segments<R>;
  fresh: Segments<R>;
  /** Whether the operation may use a segment that a request brings later (isUsable in cached.ts). */
  isUsable(segment: Segments<R>[number]): boolean;
}

/** What a request brought, and the days that it asked for; an answer that was cut short covers fewer. */
export interface Brought<R> {
  segments: Segments<R>;
  asked: readonly Span[];
  /** Whether it was only presumed to be cut short: fewer days are answered in full. */
  seemsCut?: boolean;
}

/** The outcome of the requests that a question has waited for: what they brought, and the first failure. */
interface Settled<R> {
  brought: readonly Brought<R>[];
  failed: { error: Error } | undefined;
}

/**
 * Segments that together cover the days of a question, from what is cached and what has come, or an error if there are
 * none. 'not asked for': some days are missing because another process asked for less than was planned here, or because
 * they are fresh only for the client that started the request.
 */
export function partsOf<R>(
  span: QuestionDays,
  cached: CachedDays<R>,
  { brought, failed }: Settled<R>,
  wall: WallTime,
): Segments<R> | Error | 'not asked for' {
  // Days past their time to live count only if their refresh failed, not if it was cut short.
  const known = failed ? cached.all : cached.fresh;
  // What was not asked for was cached, and may have expired for this operation.
  const segments = brought.flatMap((one) =>
    failed || one.asked.length > 0 ? one.segments : one.segments.filter(cached.isUsable),
  );
  const parts = within(overlay(known, segments), span);
  const open = gaps(parts, span);
  if (failed) {
    const isLackFine = open.length === 0 || lacksOnlyNewDays(open, parts, wall);
    // With fewer days asked for, the upstream may accept the request.
    const mustReport = isRefused(failed.error) && (span.isForLastValues || open.length > 0);
    return isLackFine && !mustReport && allowsStale(failed.error) ? parts : failed.error;
  }
  if (open.length === 0) return parts;
  const asked = brought.flatMap((one) => one.asked);
  return subtract(open, asked).length > 0 ? 'not asked for' : new CutShort();
}
