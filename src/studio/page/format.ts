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

/** Names of fields as people write them: `change24h` is "change 24h". */
export const words = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z0-9])/g, (_all, a: string, b: string) => `${a} ${b.toLowerCase()}`);

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?/;

/** Of what is no object. */
export const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : `${value as string | number}`;

/** A cell of a table. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = textOf(value);
  const instant = INSTANT.exec(text);
  return instant ? `${instant[1]} ${instant[2]}` : text;
}
