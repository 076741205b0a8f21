/**
 * Days and instants in Europe/Istanbul, whose calendar day is the spec's "today". A day is a whole number: days
 * since 1970-01-01. The zone has kept +03:00 all year since 2016, so a constant offset is enough.
 */

export const TIMEZONE = 'Europe/Istanbul';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OFFSET_MS = 3 * HOUR_MS;

/** Step of the sandbox's clock: prices move, and events are released, only at a step. */
const STEP_MS = 5000;

/** Fixed public holidays of Türkiye: no FX fixing, no gazette. */
const HOLIDAYS = new Set(['01-01', '04-23', '05-01', '05-19', '07-15', '08-30', '10-29']);

const formatted = new Map<number, string>();

/** The time rounded down to a step. Data change only at a step, so bodies can be cached until the next one. */
export function stepAt(ms: number): number {
  return Math.floor(ms / STEP_MS) * STEP_MS;
}

/** The time some steps earlier, for records that are updated late. */
export function stepsBefore(ms: number, steps: number): number {
  return ms - steps * STEP_MS;
}

/** Local days since 1970-01-01 with their fraction; the argument of `walk`. */
export function daysAt(ms: number): number {
  return (ms + OFFSET_MS) / DAY_MS;
}

export function dayOf(ms: number): number {
  return Math.floor(daysAt(ms));
}

/** The instant at which a local time of day falls on a day. */
export function instantOf(day: number, hour = 0, minute = 0): number {
  return day * DAY_MS - OFFSET_MS + hour * HOUR_MS + minute * 60_000;
}

/** Formats a day as YYYY-MM-DD. */
export function formatDay(day: number): string {
  let text = formatted.get(day);
  if (text === undefined) {
    text = new Date(day * DAY_MS).toISOString().slice(0, 10);
    formatted.set(day, text);
  }
  return text;
}

/** The day of a YYYY-MM-DD that exists in the calendar, else null. */
export function parseDay(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text) return null;
  return ms / DAY_MS;
}

/** Formats an instant as ISO 8601 with the zone's offset. */
export function formatInstant(ms: number): string {
  return `${new Date(ms + OFFSET_MS).toISOString().slice(0, 19)}+03:00`;
}

/** The day of the week; 0 is Sunday. */
export function weekdayOf(day: number): number {
  return (day + 4) % 7;
}

export function isWeekday(day: number): boolean {
  const weekday = weekdayOf(day);
  return weekday !== 0 && weekday !== 6;
}

export function isBusinessDay(day: number): boolean {
  return isWeekday(day) && !HOLIDAYS.has(formatDay(day).slice(5));
}

/** The last business day on or before a day. */
export function businessDayUpTo(day: number): number {
  let at = day;
  while (!isBusinessDay(at)) at -= 1;
  return at;
}

/** Months since January 1970. */
export function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

export function firstDayOf(month: number): number {
  return Date.UTC(1970, month, 1) / DAY_MS;
}

/** Days from start to end, both included, that satisfy a condition. */
export function daysWhere(start: number, end: number, keep: (day: number) => boolean): number[] {
  const days: number[] = [];
  for (let day = start; day <= end; day += 1) if (keep(day)) days.push(day);
  return days;
}
