import type { Fetched } from '../cache/cached.ts';
import { type Day, dayAt, type Span } from '../time.ts';
import type { Gateway } from './context.ts';

/** What datasets have in common: how long days are fresh, how far requests reach, what is cached of an answer. */

/** No request is widened further: one client's odd question must not make those of all others odd. */
const PREFETCH_UP_TO_DAYS = 3660;

export function nearby(range: Span | undefined, day: Day): Span | undefined {
  if (!range) return undefined;
  const start = Math.max(range.start, day - PREFETCH_UP_TO_DAYS);
  return { start, end: Math.min(range.end, day + PREFETCH_UP_TO_DAYS) };
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
