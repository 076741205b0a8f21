import type { Day, Span } from '../time.ts';
import type { Segment, Segments } from './segments.ts';

/** Days that have begun since an answer came: it reached up to its own day, and so says nothing of them. */

export interface WallTime {
  now(): number;
  /** The day of an instant of wall time. */
  dayAt(instant: number): Day;
}

const reachedItsDay = ({ origin, end }: Segment<unknown>, { dayAt }: WallTime) =>
  dayAt(origin.retrievedAt) <= end;

/**
 * Returns the segments with the last one up to today, if it reached up to the day on which it came: as if the days that
 * have begun since were as old as the answer.
 */
export function upToToday<R>(segments: Segments<R>, wall: WallTime): Segments<R> {
  const last = segments.at(-1);
  const today = wall.dayAt(wall.now());
  if (!last || last.end >= today || !reachedItsDay(last, wall)) return segments;
  return [...segments.slice(0, -1), { ...last, end: today }];
}

/**
 * Whether all that is missing (`open`) are days up to today that had not begun when the day before them came: then what
 * is cached is as whole as it was, and only old.
 */
export function lacksOnlyNewDays(
  open: readonly Span[],
  parts: Segments<unknown>,
  wall: WallTime,
): boolean {
  const [gap, last] = [open[0]!, parts.at(-1)];
  if (!last || last.end !== gap.start - 1 || gap.end > wall.dayAt(wall.now())) return false;
  return open.length === 1 && reachedItsDay(last, wall);
}
