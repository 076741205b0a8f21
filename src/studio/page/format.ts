/** How numbers and days are written. */

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });
const small = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
const large = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });

export function number(value: number): string {
  const size = Math.abs(value);
  if (size >= 100_000) return large.format(value);
  return size > 0 && size < 0.01 ? small.format(value) : plain.format(value);
}

/** A number for an axis: short if it is large. */
export const short = (value: number): string =>
  Math.abs(value) >= 10_000 ? compact.format(value) : number(value);

export const signed = (value: number): string => `${value > 0 ? '+' : ''}${number(value)}`;

/** With one decimal place, or with two if a small change would look like none. */
export function percent(value: number): string {
  const digits = Math.abs(value) < 0.05 ? 2 : 1;
  const text = value.toFixed(digits);
  if (Number(text) === 0) return '0.0 %';
  return `${value > 0 ? '+' : ''}${text} %`;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const times = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** The day (UTC) of a time in seconds since 1970. */
export function day(time: number): string {
  const date = new Date(time * 1000);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** The time of day of an instant in milliseconds since 1970, on this machine's clock. */
export const clock = (instant: number): string => times.format(instant);

const zonedClock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** The same with its time zone, for use beside times of other zones. */
export const clockWithZone = (instant: number): string => zonedClock.format(instant);

const zoned = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** Date, time and zone of an instant on this machine's clock: the gateway states it in another zone. */
export const dateAndTime = (instant: number): string => zoned.format(instant);

/** Names of fields as people write them: `change24h` is "change 24h". */
export const words = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z0-9])/g, (_all, a: string, b: string) => `${a} ${b.toLowerCase()}`);

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::[\d.]+)?(Z|[+-]\d\d:\d\d)?$/;

/** A value as text; objects and lists as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : `${value as string | number}`;

/** Decimal places for a column of numbers, so that none is cut; undefined if some are very small or very large. */
export function digitsOf(values: readonly number[]): number | undefined {
  const isPlain = values.every(
    (value) => value === 0 || ((value >= 0.01 || value <= -0.01) && Math.abs(value) < 100_000),
  );
  return isPlain
    ? Math.max(0, ...values.map((value) => plain.format(value).split('.')[1]?.length ?? 0))
    : undefined;
}

/** Formats a number with `digits` decimal places, so that the numbers of a column line up. */
export function numberWith(value: number, digits: number | undefined): string {
  if (digits === undefined) return number(value);
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Whether all values are instants of today, whose date need not be shown. Missing values do not count. */
export function areToday(values: readonly unknown[]): boolean {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length > 0 && known.every(isToday);
}

function isToday(value: unknown): boolean {
  const [, date, , zone] = INSTANT.exec(String(value)) ?? [];
  if (!date || !zone) return false;
  const [hours = 0, minutes = 0] = zone === 'Z' ? [] : zone.slice(1).split(':').map(Number);
  const ahead = (zone.startsWith('-') ? -1 : 1) * (60 * hours + minutes);
  return new Date(Date.now() + 60_000 * ahead).toISOString().startsWith(date);
}

/** The time of day of an instant, with seconds and a short zone: `15:30:05 +03`. */
export const clockIn = (value: unknown): string =>
  String(value)
    .replace(/^.*T/, '')
    .replace(/\.\d+/, '')
    .replace(/([+-]\d\d):00$/, '$1')
    .replace(/(?=Z|[+-]\d\d)/, ' ')
    .replace('Z', 'UTC');

/** The text of a table cell. */
export function cell(value: unknown): string {
  // `flatten` turns an empty list into an empty text.
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = textOf(value);
  const instant = INSTANT.exec(text);
  if (!instant) return text;
  const [, date, time, zone = ''] = instant;
  return `${date} ${time} ${zone === 'Z' ? 'UTC' : zone}`.trimEnd();
}
