import { type Clock, dayAt, formatDay, HOUR_MS, monthAt, parseDay, startOf } from '../time.ts';

export const HOURS_OF_DAY = 24;
export const HOURS_OF_WEEK = 168;

export interface Month {
  start: number;
  /** The first instant of the next month. */
  end: number;
}

/** The month an instant falls in, as allowances are counted. */
export function monthOf(instant: number, timezone: string): Month {
  const first = (month: string): number => parseDay(`${month}-01`) ?? 0;
  const start = first(monthAt(instant, timezone));
  // No month has more than 31 days, and 31 days later it is the next month or its first days.
  const end = first(formatDay(start + 31).slice(0, 7));
  return { start: startOf(start, timezone), end: startOf(end, timezone) };
}

/** The same month as long as it lasts: worked out once. */
export function createMonths(timezone: string, now: Clock): () => Month {
  let month: Month | undefined;
  return () => {
    const instant = now();
    if (!month || instant < month.start || instant >= month.end) month = monthOf(instant, timezone);
    return month;
  };
}

/** From 0, Thursday's first hour, to 167; in the time zone, because people's days are. */
export function hourOfWeek(hour: number, timezone: string): number {
  const instant = hour * HOUR_MS;
  const day = dayAt(instant, timezone);
  const ofDay = Math.floor((instant - startOf(day, timezone)) / HOUR_MS);
  return (((day % 7) + 7) % 7) * HOURS_OF_DAY + Math.min(HOURS_OF_DAY - 1, Math.max(0, ofDay));
}
