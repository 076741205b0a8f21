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

/** For axes. */
export const short = (value: number): string =>
  Math.abs(value) >= 10_000 ? compact.format(value) : number(value);

export const signed = (value: number): string => `${value > 0 ? '+' : ''}${number(value)}`;

export const percent = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(1)} %`;

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const times = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** Of a time in seconds since 1970. */
export function day(time: number): string {
  const date = new Date(time * 1000);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** Of an instant in milliseconds since 1970, on this machine's clock. */
export const clock = (instant: number): string => times.format(instant);

const zonedClock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** Where times of other zones stand beside it. */
export const clockWithZone = (instant: number): string => zonedClock.format(instant);

const zoned = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** The same with its date and zone: the gateway says it in another one. */
export const dateAndTime = (instant: number): string => zoned.format(instant);

/** Names of fields as people write them: `change24h` is "change 24h". */
export const words = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z0-9])/g, (_all, a: string, b: string) => `${a} ${b.toLowerCase()}`);

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::[\d.]+)?(Z|[+-]\d\d:\d\d)?$/;

/** Of what is no object. */
export const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : `${value as string | number}`;

/** Digits behind the point of a column of numbers: none are cut, and very small or large ones go their own ways. */
export function digitsOf(values: readonly number[]): number | undefined {
  const isPlain = values.every(
    (value) => value === 0 || ((value >= 0.01 || value <= -0.01) && Math.abs(value) < 100_000),
  );
  return isPlain
    ? Math.max(0, ...values.map((value) => plain.format(value).split('.')[1]?.length ?? 0))
    : undefined;
}

/** With so many digits behind the point, so that those of a column stand below each other. */
export function numberWith(value: number, digits: number | undefined): string {
  if (digits === undefined) return number(value);
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Whether all are instants of today, whose date tells nothing; what is missing does not count. */
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

/** The clock of an instant, with its seconds and in brief: `15:30:05 +03`. */
export const clockIn = (value: unknown): string =>
  String(value)
    .replace(/^.*T/, '')
    .replace(/\.\d+/, '')
    .replace(/([+-]\d\d):00$/, '$1')
    .replace(/(?=Z|[+-]\d\d)/, ' ')
    .replace('Z', 'UTC');

/** A cell of a table. */
export function cell(value: unknown): string {
  // A list without values is an empty text.
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = textOf(value);
  const instant = INSTANT.exec(text);
  if (!instant) return text;
  const [, date, time, zone = ''] = instant;
  return `${date} ${time} ${zone === 'Z' ? 'UTC' : zone}`.trimEnd();
}
