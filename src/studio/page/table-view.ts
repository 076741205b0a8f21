import type { View } from './chart-view.ts';
import { h } from './dom.ts';
import { areToday, cell, clockIn, digitsOf, numberWith, textOf, words } from './format.ts';
import { flatten, type Row } from './row.ts';
import type { List } from './series.ts';

/** Shows a list as a sortable table, whose cells flash when a live update changes them. */

const MAX_ROWS = 1000;
const FLASH_MS = 1500;

interface Order {
  column: string;
  descending: boolean;
}

/**
 * Rows keep the order in which they came until somebody sorts them. `label`: its accessible name, if there are several.
 */
export function createTableView(first: List, label = 'Table'): View<List> {
  let rows = first.rows.map((row) => flatten(row));
  let keys = keysOf(rows);
  let sorted: Order | undefined;
  /** The text of each cell when it was last drawn. */
  const texts = new Map<string, string>();
  const head = h('thead');
  const body = h('tbody');
  const note = h('p', { class: 'faint' });
  const element = h(
    'div',
    { class: 'scroll table-view', tabindex: 0, role: 'region', 'aria-label': label },
    h('table', {}, head, body),
    note,
  );

  function sortBy(column: string): void {
    const isFirst = sorted?.column !== column;
    const descending = isFirst
      ? rows.some((row) => typeof row[column] === 'number')
      : !sorted?.descending;
    sorted = { column, descending };
    draw();
  }

  function headOf({ column, isNumber }: Column): HTMLElement {
    const isSorted = sorted?.column === column;
    const direction = sorted?.descending ? 'descending' : 'ascending';
    const button = h(
      'button',
      { type: 'button', click: () => sortBy(column) },
      `${words(column)}${isPercent(column) ? ', %' : ''}`,
    );
    return h(
      'th',
      { scope: 'col', class: isNumber ? 'number' : '', 'aria-sort': isSorted ? direction : 'none' },
      button,
    );
  }

  function rowOf(row: Row, columns: readonly Column[]): HTMLElement {
    const key = keys.get(row);
    return h(
      'tr',
      {},
      ...columns.map((known) => {
        const { column, isNumber } = known;
        const value = row[column];
        const kind = `${isNumber ? 'number' : ''} ${classOf(column, value)}`;
        const made = h('td', { class: kind }, contentOf(value, known));
        remember(`${key} ${column}`, made, value);
        return made;
      }),
    );
  }

  /** Remembers a cell by its key, and flashes it if its text has changed. */
  function remember(key: string, made: HTMLElement, value: unknown): void {
    const text = cell(value);
    const before = texts.get(key);
    texts.set(key, text);
    if (before === undefined || before === text) return;
    made.classList.add('changed');
    setTimeout(() => made.classList.remove('changed'), FLASH_MS);
  }

  function draw(): void {
    const columns = columnsOf(rows);
    const focused = document.activeElement?.closest('th')?.cellIndex;
    const shown = (sorted ? rows.toSorted(comparing(sorted)) : rows).slice(0, MAX_ROWS);
    head.replaceChildren(h('tr', {}, ...columns.map(headOf)));
    body.replaceChildren(...shown.map((row) => rowOf(row, columns)));
    note.textContent = noteOn(rows.length);
    if (focused !== undefined) head.querySelectorAll('button')[focused]?.focus();
  }

  return {
    element,
    controls: [],
    draw,
    destroy() {},
    update(list) {
      rows = list.rows.map((row) => flatten(row));
      keys = keysOf(rows);
      draw();
      return true;
    },
  };
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

function noteOn(rows: number): string {
  if (rows === 0) return 'The list is empty.';
  return rows > MAX_ROWS ? `The first ${MAX_ROWS} of ${rows} rows.` : '';
}

interface Column {
  column: string;
  isNumber: boolean;
  /** Decimal places of its numbers. */
  digits: number | undefined;
  /** Whether its values are instants of today, whose date need not be shown. */
  isToday: boolean;
}

/** Whether a column of crypto assets is in percent, which its name does not say. */
const isPercent = (column: string) => /(^| )(change\d+[hd]|dominance)$/.test(column);

/** Whether a column holds ids, which are meant for programs and come last. */
const isId = (column: string) => /(^| )id$|Id$/.test(column);

/** Whether a column numbers things, such as issues of the gazette: these are not amounts. */
const isSerial = (column: string) => column.endsWith('Number');

function columnsOf(rows: readonly Row[]): Column[] {
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

const identityOf = (row: Row) =>
  textOf(row['id'] ?? row['pair'] ?? row['symbol'] ?? row['code'] ?? '');

/** Keys that recognize rows in the next update: a row's identity if it is unique, else its position. */
function keysOf(rows: readonly Row[]): Map<Row, string> {
  const seen = Map.groupBy(rows, identityOf);
  return new Map(
    rows.map((row, i) => {
      const identity = identityOf(row);
      return [row, identity !== '' && seen.get(identity)?.length === 1 ? identity : `row ${i}`];
    }),
  );
}

function classOf(column: string, value: unknown): string {
  if (typeof value !== 'number' || !/change|surprise/i.test(column) || value === 0) return '';
  return value < 0 ? 'down' : 'up';
}

/** Missing values come last in either direction. */
function comparing({ column, descending }: Order): (a: Row, b: Row) => number {
  return (a, b) => {
    const [left, right] = [a[column] ?? null, b[column] ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : textOf(left).localeCompare(textOf(right), 'tr');
    return descending ? -order : order;
  };
}
