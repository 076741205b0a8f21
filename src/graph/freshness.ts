import type { Fetched } from '../cache/cached.ts';
import { type Day, dayAt, type Span } from '../time.ts';
import type { Gateway } from './context.ts';

/** What datasets have in common: how long days are fresh, how far requests reach, what is cached of an answer. */

/** No request is widened further from today: one client's odd question must not make everybody's requests long. */
const PREFETCH_UP_TO_DAYS = 3660;

/** What of a range is not further from today (`day`) than that. */
export function nearby(range: Span | undefined, day: Day): Span | undefined {
  if (!range) return undefined;
  const start = Math.max(range.start, day - PREFETCH_UP_TO_DAYS);
  return { start, end: Math.min(range.end, day + PREFETCH_UP_TO_DAYS) };
}

const YEAR = 366;

/**
 * A widened request: it reaches `back` days from today (`day`), but as far as any request may be widened where more than
 * a year is asked for, since another length is likely to be asked for next; and `ahead` days, or up to today. It holds
 * all that is asked for.
 */
export function widened(
  asked: Span,
  day: Day,
  { back, ahead = 0 }: { back: number; ahead?: number },
): Span {
  const reach = asked.start < day - YEAR ? PREFETCH_UP_TO_DAYS : back;
  return { start: Math.min(day - reach, asked.start), end: Math.max(day + ahead, asked.end) };
}

/** Days this far back no longer change. */
const SETTLED_AFTER_DAYS = 7;

/** How long a day is fresh, in milliseconds: settled days long, recent and future ones `recentTtl`. */
export function freshByAge({ settings }: Gateway, recentTtl: number) {
  return (day: Day, now: number): number => {
    const age = dayAt(now, settings.timezone) - day;
    return age >= SETTLED_AFTER_DAYS ? settings.ttl.settledDays : recentTtl;
  };
}

/** What a snapshot or a keyed set makes of an answer. */
export function fetched<V>(
  { origin, bytes, warnings }: Omit<Fetched<V>, 'value'>,
  value: V,
): Fetched<V> {
  return { value, origin, bytes, warnings };
}
