/**
 * Calendar days, instants and time zones, used by every folder. Days are numbers, so that caches can compute with them;
 * time zone rules come from Temporal.
 */

/** Days since 1970-01-01, so that ranges of days are plain integer arithmetic. */
export type Day = number;

/** A range of days, both ends included. */
export interface Span {
  start: Day;
  end: Day;
}

/**
 * A clock in milliseconds, passed in wherever time matters: wall time since 1970-01-01T00:00Z (`now`), or time since an
 * arbitrary moment, which is never set back (`monotonic`).
 */
export type Clock = () => number;

/** Rounds a clock down to whole milliseconds, by which shared data are stored: one passed in may give fractions. */
export const inWholeMs =
  (clock: Clock): Clock =>
  () =>
    Math.floor(clock());

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;
/** Longest delay of a timer: one that is set to more goes off at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
/** How long after a signal requests may take to finish: those of clients and those to the upstream together. */
export const GRACE_MS = 3000;

/** The hour of an instant, counted from 1970. */
export const hourAt = (instant: number): number => Math.floor(instant / HOUR_MS);
/** The minute of an instant, counted from 1970; for monotonic time, from that clock's own zero. */
export const minuteAt = (instant: number): number => Math.floor(instant / MINUTE_MS);

/** Whether this machine knows a time zone. Intl and Temporal know other older names, and both are used. */
export function isTimezone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** Matches a text that is RFC 3339 if its date is valid: the usual form, recognized without taking it apart. */
const RFC_3339 =
  /^.{10}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;
/**
 * A date, a time from 00:00 to 23:59, seconds, and an offset with or without minutes; the last two may be missing. A
 * space may stand for the T, as RFC 3339 allows and databases write it.
 */
const ISO_8601 =
  /^(\d{4}-\d{2}-\d{2})[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/i;

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Days from 0000-03-01 to 1970-01-01. */
const DAYS_TO_EPOCH = 719_468;
const EPOCH_DATE = new Temporal.PlainDate(1970, 1, 1);

/**
 * Parses `YYYY-MM-DD`; undefined if the text is not a day of the calendar. Uses plain arithmetic, because an answer
 * from the upstream may have a thousand dates to read and Temporal.PlainDate takes 15 times as long.
 */
export function parseDay(text: string): Day | undefined {
  if (text.length !== 10 || text[4] !== '-' || text[7] !== '-') return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
  // A part that contains anything but digits is NaN, for which every comparison is false.
  if (!(year >= 0 && day >= 1 && day <= last)) return undefined;
  // Years are counted from March, so that they end with the leap day: any five months before February have 153 days.
  const years = month > 2 ? year : year - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return years * 365 + leapDays + dayOfYear - DAYS_TO_EPOCH;
}

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i += 1) {
    const digit = text.charCodeAt(i) - 48;
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : NaN;
  }
  return number;
}

const formattedDays = new Map<Day, string>();

/** Maximum number of cached texts, ten years of days. Once it is reached all are dropped, which costs only time. */
const MAX_FORMATTED_DAYS = 3653;

/** Formats a day as `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  const known = formattedDays.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * DAY_MS).toISOString().slice(0, 10);
  if (formattedDays.size >= MAX_FORMATTED_DAYS) formattedDays.clear();
  formattedDays.set(day, text);
  return text;
}

/** The day on which an instant falls in a time zone. */
export function dayAt(instant: number, timezone: string): Day {
  return Math.floor((instant + periodOf(instant, timezone).offset) / DAY_MS);
}

/**
 * The instant at which a day begins in a time zone: 00:00, or the first time of that day if the clocks go forward at
 * midnight.
 */
export function startOf(day: Day, timezone: string): number {
  const { from, until, offset } = periodOf(day * DAY_MS, timezone);
  const start = day * DAY_MS - offset;
  if (start - DAY_MS > from && start < until) return start;
  // The clocks change on this day or the day before: midnight may come twice, or not at all.
  return EPOCH_DATE.add({ days: day }).toZonedDateTime(timezone).epochMilliseconds;
}

/** The last result of `monthAt`: it is called for each answer, mostly for the same day. */
let lastMonth = { day: NaN, month: '' };

/** The month in which an instant falls, as YYYY-MM; monthly allowances are counted by it. */
export function monthAt(instant: number, timezone: string): string {
  const day = dayAt(instant, timezone);
  if (day !== lastMonth.day) lastMonth = { day, month: formatDay(day).slice(0, 7) };
  return lastMonth.month;
}

/** When the month in which an instant falls ends. */
export function startOfNextMonth(instant: number, timezone: string): number {
  const [year = 0, month = 0] = monthAt(instant, timezone).split('-').map(Number);
  return startOf(Date.UTC(year, month, 1) / DAY_MS, timezone);
}

/**
 * Converts an ISO 8601 date-time of the upstream to RFC 3339 with an offset. The upstream's own offset is kept; a text
 * without one is read in `timezone`. Undefined if the text is not a date-time.
 */
export function parseInstant(text: string, timezone: string): string | undefined {
  if (RFC_3339.test(text)) return parseDay(text.slice(0, 10)) === undefined ? undefined : text;
  const [, date = '', minute, second = ':00', stated] = ISO_8601.exec(text) ?? [];
  if (parseDay(date) === undefined) return undefined;
  const local = `${date}T${minute}${second}`;
  const offset = stated
    ?.replace(/^(...)(\d\d)$/, '$1:$2')
    .replace(/^...$/, '$&:00')
    .toUpperCase();
  return local + (offset ?? offsetOf(local.slice(0, 'YYYY-MM-DDThh:mm:ss'.length), timezone));
}

/**
 * The offset of a zone, such as +03:00, at a local time in whole seconds. For a time that occurs twice, as clocks go
 * back, the offset of the first; for a time that clocks skip as they go forward, the offset before the change, so that
 * a skipped midnight is the first moment of its day.
 */
function offsetOf(local: string, timezone: string): string {
  const time = Temporal.PlainDateTime.from(local);
  return time.toZonedDateTime(timezone, { disambiguation: 'earlier' }).offset.slice(0, 6);
}

/** The time between two changes of a zone's clocks, in milliseconds since 1970; `until` is excluded. */
interface Period {
  from: number;
  until: number;
  /** Milliseconds ahead of UTC. */
  offset: number;
}

/** The last period used for each zone: nearly every instant that is looked up lies in it. */
const periods = new Map<string, Period>();

function periodOf(instant: number, timezone: string): Period {
  const latest = periods.get(timezone);
  if (latest && instant >= latest.from && instant < latest.until) return latest;
  const period = periodAt(instant, timezone);
  periods.set(timezone, period);
  return period;
}

function periodAt(instant: number, timezone: string): Period {
  const zoned = Temporal.Instant.fromEpochMilliseconds(Math.floor(instant)).toZonedDateTimeISO(
    timezone,
  );
  const until = zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  // `previous` is exclusive: without the extra nanosecond, a change at this very instant would be missed.
  const from = zoned.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  const offset = zoned.offsetNanoseconds / 1_000_000;
  return { from: from?.epochMilliseconds ?? -Infinity, until, offset };
}
