import type { ReadSpent, SpentLine } from '../shared/units.ts';
import { HOURS_OF_DAY } from '../spending/calendar.ts';
import { HOUR_MS } from '../time.ts';

/** Who has spent what, as CSV by RFC 4180: a line for each hour (UTC), meter, client, operation and dataset. */

/** From an hour up to another one (hours since 1970). */
export interface Hours {
  from: number;
  to: number;
}

export type ReadRows = (hours: Hours) => Promise<string>;

const HEADER = 'hour,meter,client,operation,dataset,units\n';

/** The text of some hours. Rejects where it cannot be read now. */
export const createRows =
  (readSpent: ReadSpent): ReadRows =>
  async ({ from, to }) => {
    let rows = '';
    for await (const lines of readSpent(from, to)) rows += lines.map(csvOf).join('');
    return rows;
  };

/**
 * The whole, a day at a time: each is read when the one before has been taken. Rejects where not even the first can be read.
 */
export async function spentCsv(hours: Hours, readRows: ReadRows): Promise<AsyncIterable<string>> {
  const [first, ...others] = daysOf(hours);
  const begin = HEADER + (first ? await readRows(first) : '');
  return (async function* () {
    yield begin;
    for (const day of others) yield await readRows(day);
  })();
}

/** Days of UTC, as they are stored. */
function daysOf({ from, to }: Hours): Hours[] {
  const days: Hours[] = [];
  for (let hour = from; hour < to; hour = days.at(-1)!.to)
    days.push({ from: hour, to: Math.min(to, hour - (hour % HOURS_OF_DAY) + HOURS_OF_DAY) });
  return days;
}

function csvOf({ hour, meter, client, operation, dataset, units }: SpentLine): string {
  const at = new Date(hour * HOUR_MS).toISOString().slice(0, 16);
  return `${[`${at}Z`, meter, client, operation, dataset, units].map(fieldOf).join(',')}\n`;
}

/** No text may be taken for a formula by who opens it in a spreadsheet; a number is none, below zero either. */
function fieldOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+@-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
