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

/** The day of `YYYY-MM-DD`; undefined where the text is no day of the calendar. */
export function parseDay(text: string): Day | undefined {
  if (!DATE.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text) return undefined;
  return ms / DAY_MS;
}

export function formatDay(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
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
  return new Date(instant + offsetAt(instant, timezone)).toISOString().slice(0, 7);
}

/**
 * An ISO 8601 date-time of the upstream as RFC 3339 with an offset. The upstream's own offset is
 * kept; a text without one is read in `timezone`. Undefined where it is no date-time.
 */
export function parseInstant(text: string, timezone: string): string | undefined {
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

const formatters = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, { quarter: number; offset: number }>();

/** Milliseconds that a zone's clocks are ahead of UTC. Zones only change on the quarter hour. */
function offsetAt(instant: number, timezone: string): number {
  const quarter = Math.floor(instant / 900_000);
  const known = offsets.get(timezone);
  if (known?.quarter === quarter) return known.offset;
  const parts = formatterOf(timezone).formatToParts(quarter * 900_000);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name);
  const minutes = match ? Number(match[2]) * 60 + Number(match[3]) : 0;
  const offset = (match?.[1] === '-' ? -minutes : minutes) * 60_000;
  offsets.set(timezone, { quarter, offset });
  return offset;
}

function formatterOf(timezone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timezone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      timeZoneName: 'longOffset',
    });
    formatters.set(timezone, formatter);
  }
  return formatter;
}
