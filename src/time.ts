/** Calendar days and instants: the only place that knows about time zones. */

/** Days since 1970-01-01, so that ranges of days are plain integer arithmetic. */
export type Day = number;

/** Both ends included. */
export interface Span {
  start: Day;
  end: Day;
}

/** Milliseconds since 1970-01-01T00:00Z; passed in wherever time matters. */
export type Clock = () => number;

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
/** What is RFC 3339 already, if its date is one: the usual shape. */
const COMPLETE =
  /^.{10}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Days from 0000-03-01 to 1970-01-01. */
const EPOCH = 719_468;

/** The day of `YYYY-MM-DD`; undefined where the text is no day of the calendar. */
export function parseDay(text: string): Day | undefined {
  if (!DATE.test(text)) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
  if (day < 1 || day > last) return undefined;
  // Years that begin in March end with the leap day: 153 days are five months, wherever they lie.
  const years = month > 2 ? year : year - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const ofYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return years * 365 + leapDays + ofYear - EPOCH;
}

function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i += 1) number = number * 10 + text.charCodeAt(i) - 48;
  return number;
}

const texts = new Map<Day, string>();

/** Ten years of days; past it all are forgotten, which costs only time. */
const MAX_TEXTS = 3653;

export function formatDay(day: Day): string {
  const known = texts.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * DAY_MS).toISOString().slice(0, 10);
  if (texts.size >= MAX_TEXTS) texts.clear();
  texts.set(day, text);
  return text;
}

/** Which day an instant falls on in a time zone. */
export function dayAt(instant: number, timezone: string): Day {
  return Math.floor((instant + offsetAt(instant, timezone)) / DAY_MS);
}

/** The instant at which a day begins in a time zone. */
export function startOf(day: Day, timezone: string): number {
  const utc = day * DAY_MS;
  return utc - offsetAt(utc - offsetAt(utc, timezone), timezone);
}

/** The month an instant falls in, as YYYY-MM: what monthly allowances are counted by. */
export function monthAt(instant: number, timezone: string): string {
  return formatDay(dayAt(instant, timezone)).slice(0, 7);
}

/**
 * An ISO 8601 date-time of the upstream as RFC 3339 with an offset. The upstream's own offset is
 * kept; a text without one is read in `timezone`. Undefined where it is no date-time.
 */
export function parseInstant(text: string, timezone: string): string | undefined {
  if (COMPLETE.test(text)) return parseDay(text.slice(0, 10)) === undefined ? undefined : text;
  const [, date = '', minute, second = ':00', stated] = INSTANT.exec(text) ?? [];
  if (parseDay(date) === undefined) return undefined;
  const local = `${date}T${minute}${second}`;
  const read = stated?.replace(/^(...)(\d\d)$/, '$1:$2').toUpperCase();
  const instant = local + (read ?? offsetOf(Date.parse(`${local}Z`), timezone));
  return Number.isNaN(Date.parse(instant)) ? undefined : instant;
}

/** The offset of a zone, such as +03:00, at a local time that is given as if it were UTC. */
function offsetOf(local: number, timezone: string): string {
  if (Number.isNaN(local)) return '';
  const offset = offsetAt(local - offsetAt(local, timezone), timezone);
  const minutes = Math.abs(offset) / 60_000;
  const part = (n: number) => String(Math.floor(n)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${part(minutes / 60)}:${part(minutes % 60)}`;
}

interface Zone {
  formatter: Intl.DateTimeFormat;
  /** Milliseconds ahead of UTC by quarter hour since 1970. */
  offsets: Map<number, number>;
}

const zones = new Map<string, Zone>();

/** A hundred days of quarter hours; past it all are forgotten, which costs only time. */
const MAX_OFFSETS = 9600;

/** Milliseconds that a zone's clocks are ahead of UTC. Zones only change on the quarter hour. */
function offsetAt(instant: number, timezone: string): number {
  const quarter = Math.floor(instant / 900_000);
  const { formatter, offsets } = zoneOf(timezone);
  const known = offsets.get(quarter);
  if (known !== undefined) return known;
  const parts = formatter.formatToParts(quarter * 900_000);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name);
  const minutes = match ? Number(match[2]) * 60 + Number(match[3]) : 0;
  const offset = (match?.[1] === '-' ? -minutes : minutes) * 60_000;
  if (offsets.size >= MAX_OFFSETS) offsets.clear();
  offsets.set(quarter, offset);
  return offset;
}

function zoneOf(timezone: string): Zone {
  let zone = zones.get(timezone);
  if (!zone) {
    const format = { timeZone: timezone, timeZoneName: 'longOffset' } as const;
    zone = { formatter: new Intl.DateTimeFormat('en-US', format), offsets: new Map() };
    zones.set(timezone, zone);
  }
  return zone;
}
