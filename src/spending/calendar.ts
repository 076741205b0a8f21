import {
  type Clock,
  dayAt,
  HOUR_MS,
  monthAt,
  parseDay,
  startOf,
  startOfNextMonth,
} from '../time.ts';

/** Months, and hours of the week, in the time zone in which allowances are counted. */

export const HOURS_PER_DAY = 24;
export const HOURS_PER_WEEK = 168;

export interface Month {
  start: number;
  /** The first instant of the next month. */
  end: number;
}

/** Returns the month `name` (YYYY-MM) of a time zone; allowances are counted by such months. */
export function monthNamed(name: string, timezone: string): Month {
  const start = startOf(parseDay(`${name}-01`) ?? 0, timezone);
  return { start, end: startOfNextMonth(start, timezone) };
}

/** Returns a function that gives the current month: the same object for as long as the month lasts. */
export function createMonths(timezone: string, now: Clock): () => Month {
  let month: Month | undefined;
  return () => {
    const instant = now();
    if (!month || instant < month.start || instant >= month.end)
      month = monthNamed(monthAt(instant, timezone), timezone);
    return month;
  };
}

/** Returns the hour of the week, from 0 (Thursday's first) to 167; in the time zone, since people's days follow it. */
export function hourOfWeek(hour: number, timezone: string): number {
  const instant = hour * HOUR_MS;
  const day = dayAt(instant, timezone);
  const ofDay = Math.floor((instant - startOf(day, timezone)) / HOUR_MS);
  return (((day % 7) + 7) % 7) * HOURS_PER_DAY + Math.min(HOURS_PER_DAY - 1, Math.max(0, ofDay));
}
