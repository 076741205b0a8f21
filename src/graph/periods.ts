import { type Day, formatDay, parseDay, type Span } from '../time.ts';

/** Periods of the calendar, and how values are grouped by them. */

export type Period = 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR';

/**
 * Length of the longest period of each kind, in days: that many days after the first day of any
 * period, the next one has begun.
 */
const MAX_PERIOD_DAYS: Record<Period, number> = {
  DAY: 1,
  WEEK: 7,
  MONTH: 31,
  QUARTER: 92,
  YEAR: 366,
};

/** 1970-01-01, day 0, was a Thursday. */
const FIRST_MONDAY = -3;

/** The first day of the period that a day lies in; weeks begin on Monday. */
function firstDayOf(day: Day, period: Period): Day {
  if (period === 'DAY') return day;
  if (period === 'WEEK') return day - ((((day - FIRST_MONDAY) % 7) + 7) % 7);
  const [year = '', month = ''] = formatDay(day).split('-');
  return parseDay(`${year}-${firstMonth(Number(month), period)}-01`) ?? day;
}

function firstMonth(month: number, period: Period): string {
  if (period === 'YEAR') return '01';
  const first = period === 'QUARTER' ? month - ((month - 1) % 3) : month;
  return String(first).padStart(2, '0');
}

/** The period that a day lies in, from its first to its last day. */
function periodOf(day: Day, period: Period): Span {
  const start = firstDayOf(day, period);
  return { start, end: firstDayOf(start + MAX_PERIOD_DAYS[period], period) - 1 };
}

interface Group<T> {
  period: Span;
  /** At least one. */
  items: [T, ...T[]];
}

/** Groups items, which are in ascending order of day, by period; periods without items are left out. */
export function byPeriod<T extends { day: Day }>(items: readonly T[], every: Period): Group<T>[] {
  const groups: Group<T>[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last && item.day <= last.period.end) last.items.push(item);
    else groups.push({ period: periodOf(item.day, every), items: [item] });
  }
  return groups;
}
