import type { SpentLine } from '../shared/units.ts';
import { HOUR_MS } from '../time.ts';

/** Who has spent what, as CSV by RFC 4180: a line for each hour (UTC), meter, client, operation and dataset. */

export function spentCsv(lines: readonly SpentLine[]): string {
  const sorted = lines.toSorted((a, b) => a.hour - b.hour);
  return ['hour,meter,client,operation,dataset,units\n', ...sorted.map(csvOf)].join('');
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
