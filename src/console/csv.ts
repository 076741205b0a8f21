import type { ReadSpent, SpentLine } from '../shared/units.ts';
import { HOURS_PER_DAY } from '../spending/calendar.ts';
import { HOUR_MS } from '../time.ts';

/** Who has spent what, as CSV (RFC 4180): a line for each hour (UTC), meter, client, operation and dataset. */

/** Hours since 1970, from `from` up to but not including `to`. */
export interface Hours {
  from: number;
  to: number;
}

export type ReadRows = (hours: Hours) => Promise<string>;

const HEADER = 'hour,meter,client,operation,dataset,units\n';

/** Reads the rows of some hours, as CSV. Rejects if they cannot be read now. */
export const createRows =
  (readSpent: ReadSpent): ReadRows =>
  async ({ from, to }) => {
    let rows = '';
    for await (const lines of readSpent(from, to)) rows += lines.map(rowOf).join('');
    return rows;
  };

/**
 * The whole CSV, day by day: each day is read once the one before has been consumed. Rejects if not even the first day
 * can be read.
 */
export async function spentCsv(hours: Hours, readRows: ReadRows): Promise<AsyncIterable<string>> {
  const [first, ...others] = daysOf(hours);
  const begin = HEADER + (first ? await readRows(first) : '');
  return (async function* () {
    yield begin;
    for (const day of others) yield await readRows(day);
  })();
}

/** Splits hours into UTC days, by which they are stored. */
function daysOf({ from, to }: Hours): Hours[] {
  const days: Hours[] = [];
  for (let hour = from; hour < to; hour = days.at(-1)!.to)
    days.push({ from: hour, to: Math.min(to, hour - (hour % HOURS_PER_DAY) + HOURS_PER_DAY) });
  return days;
}

function rowOf({ hour, meter, client, operation, dataset, units }: SpentLine): string {
  const at = new Date(hour * HOUR_MS).toISOString().slice(0, 16);
  return `${[`${at}Z`, meter, client, operation, dataset, units].map(fieldOf).join(',')}\n`;
}

/** Escapes texts that a spreadsheet would take for formulas; a number is not one, even if it is negative. */
function fieldOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+@-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
