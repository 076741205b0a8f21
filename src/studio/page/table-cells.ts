import { h } from './dom.ts';
import { areToday, cell, clockIn, digitsOf, numberWith } from './format.ts';
import type { Row } from './row.ts';

/** The columns of a table, and what its cells show. */

export interface Column {
  column: string;
  isNumber: boolean;
  /** Decimal places of its numbers. */
  digits: number | undefined;
  /** Whether its values are instants of today, whose date need not be shown. */
  isToday: boolean;
}

/** Whether a column of crypto assets is in percent, which its name does not say. */
export const isPercent = (column: string) => /(^| )(change\d+[hd]|dominance)$/.test(column);

/** Whether a column holds ids, which are meant for programs and come last. */
const isId = (column: string) => /(^| )id$|Id$/.test(column);

/** Whether a column numbers things, such as issues of the gazette: these are not amounts. */
const isSerial = (column: string) => column.endsWith('Number');

export function columnsOf(rows: readonly Row[]): Column[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((column) => column !== '__typename')
    .toSorted((a, b) => Number(isId(a)) - Number(isId(b)))
    .map((column) => {
      const values = rows.map((row) => row[column]);
      const numbers = values.filter((value) => typeof value === 'number');
      const isNumber = numbers.length > 0 && !isSerial(column);
      return { column, isNumber, digits: digitsOf(numbers), isToday: areToday(values) };
    });
}

export function cellOf(value: unknown, known: Column): HTMLTableCellElement {
  const kind = `${known.isNumber ? 'number' : ''} ${classOf(known.column, value)}`;
  return h('td', { class: kind }, contentOf(value, known));
}

/** Maximum length, in characters, of a text on one line; up to FEW_LINES it wraps, a longer one opens when pressed. */
const ONE_LINE = 24;
const FEW_LINES = 80;

function contentOf(value: unknown, { isNumber, digits, isToday }: Column): HTMLElement | string {
  if (typeof value === 'number') return isNumber ? numberWith(value, digits) : String(value);
  if (isToday && typeof value === 'string') return clockIn(value);
  const text = cell(value);
  if (text.length <= ONE_LINE) return text;
  if (text.length <= FEW_LINES) return h('span', { class: 'long' }, text);
  const button = h(
    'button',
    { type: 'button', class: 'long', 'aria-expanded': 'false' },
    h('span', {}, text),
  );
  button.addEventListener('click', () => {
    const isOpen = button.getAttribute('aria-expanded') === 'true';
    button.setAttribute('aria-expanded', String(!isOpen));
  });
  return button;
}

function classOf(column: string, value: unknown): string {
  if (typeof value !== 'number' || !/change|surprise/i.test(column) || value === 0) return '';
  return value < 0 ? 'down' : 'up';
}
