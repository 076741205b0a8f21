// How numbers and times are written. Months are those of the upstream, so times are in its time zone.

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** @param {number} value */
export const number = (value) => numbers.format(value);

/** A number for the axis of a chart. @param {number} value */
export const short = (value) => compact.format(value);

/** How many times as much: one decimal as long as it matters. @param {number} value */
export const times = (value) => (value < 10 ? value.toFixed(1) : number(value));

/** @param {number} part @param {number} whole */
export function percent(part, whole) {
  if (whole <= 0) return '–';
  const value = (100 * part) / whole;
  if (value > 0 && value < 0.5) return '< 1 %';
  return `${value.toFixed(value > 95 && value < 100 ? 1 : 0)} %`;
}

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 90) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3600)} h`
    : `${Math.round(seconds / 86_400)} days`;
}

/** @param {number} instant @param {string} timeZone */
export const day = (instant, timeZone) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short' }).format(instant);

/** @param {number} instant @param {string} timeZone */
export const dayAndTime = (instant, timeZone) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(instant);

/** With the zone, since the reader's own may be another one. @param {number} instant @param {string} timeZone */
export const clock = (instant, timeZone) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }).format(instant);

/** @param {string} name YYYY-MM */
export const monthName = (name) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(
    Date.parse(`${name}-01T00:00Z`),
  );

/** The month as YYYY-MM, which is its Swedish format. @param {number} instant @param {string} timeZone */
export const monthOf = (instant, timeZone) =>
  new Intl.DateTimeFormat('sv', { timeZone, year: 'numeric', month: '2-digit' }).format(instant);

/** The month that is `months` months later. @param {string} name YYYY-MM @param {number} months */
export function monthAfter(name, months) {
  const [year = 0, month = 1] = name.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 7);
}
