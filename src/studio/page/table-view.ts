import type { View } from './chart-view.ts';
import { arrange, h } from './dom.ts';
import { textOf, words } from './format.ts';
import { flatten, type Row } from './row.ts';
import type { List } from './series.ts';
import { cellOf, type Column, columnsOf, isPercent } from './table-cells.ts';

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
  /** The rows that are shown, by their keys, and the columns that they have. */
  let shown = new Map<string, HTMLTableRowElement>();
  let form = '';
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

  /** Replaces only cells whose text has changed: the others may be selected, focused or expanded. */
  function rowOf(key: string, row: Row, columns: readonly Column[]): HTMLTableRowElement {
    const drawn = shown.get(key) ?? h('tr');
    for (const [i, known] of columns.entries()) {
      const made = cellOf(row[known.column], known);
      const old = drawn.cells[i];
      if (!old) drawn.append(made);
      else if (old.textContent !== made.textContent) {
        old.replaceWith(made);
        flash(made);
      }
    }
    return drawn;
  }

  function draw(): void {
    const columns = columnsOf(rows);
    const wanted = columns.map(({ column, isNumber }) => `${column} ${isNumber}`).join();
    if (wanted !== form) shown = new Map();
    form = wanted;
    drawHead(columns);
    const ordered = (sorted ? rows.toSorted(comparing(sorted)) : rows).slice(0, MAX_ROWS);
    const keyed = ordered.map((row) => [keys.get(row) ?? '', row] as const);
    shown = new Map(keyed.map(([key, row]) => [key, rowOf(key, row, columns)]));
    arrange(body, [...shown.values()]);
    note.textContent = noteOn(rows.length);
  }

  function drawHead(columns: readonly Column[]): void {
    const focused = document.activeElement?.closest('th')?.cellIndex;
    const made = h('tr', {}, ...columns.map(headOf));
    if (head.firstChild?.isEqualNode(made)) return;
    head.replaceChildren(made);
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

function flash(changed: HTMLElement): void {
  changed.classList.add('changed');
  setTimeout(() => changed.classList.remove('changed'), FLASH_MS);
}

function noteOn(rows: number): string {
  if (rows === 0) return 'The list is empty.';
  return rows > MAX_ROWS ? `The first ${MAX_ROWS} of ${rows} rows.` : '';
}

const identityOf = (row: Row) =>
  textOf(row['id'] ?? row['pair'] ?? row['symbol'] ?? row['code'] ?? '');

/**
 * Keys that recognize rows in the next update: a row's identity if it is unique, else its position, counted from the
 * end since new events come first.
 */
function keysOf(rows: readonly Row[]): Map<Row, string> {
  const seen = Map.groupBy(rows, identityOf);
  return new Map(
    rows.map((row, i) => {
      const identity = identityOf(row);
      return [
        row,
        identity !== '' && seen.get(identity)?.length === 1 ? identity : `row ${rows.length - i}`,
      ];
    }),
  );
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
