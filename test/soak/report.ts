import { COLLECTED, SAMPLED, type Values } from './figures.ts';
import { medianOf, type Trend, trendOf } from './trend.ts';
import { type Account, isEqual } from './units.ts';

/** The tables at the end of a soak. */

/** The share of a run in which caches fill up: it is not judged. */
export const WARM_UP = 0.2;
/** How many windows at either end of the judged time go into the printed medians. */
const END_WINDOWS = 5;

export interface Judged extends Trend {
  name: string;
  unit: string;
  isInformational: boolean;
  first: number;
  last: number;
}

/** Judges each figure from the end of the warm-up on. */
export function judge(windows: readonly Values[]): Judged[] {
  const judged = windows.slice(Math.floor(windows.length * WARM_UP));
  return [...COLLECTED, ...SAMPLED].map(({ name, unit, isInformational = false }) => {
    const values = judged.map((window) => window[name]!);
    const [first, last] = [values.slice(0, END_WINDOWS), values.slice(-END_WINDOWS)];
    const ends = { first: medianOf(first), last: medianOf(last) };
    return { name, unit, isInformational, ...ends, ...trendOf(values) };
  });
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), ''].join(
    '\n',
  );
}

const rounded = (value: number) => value.toFixed(Math.abs(value) < 100 ? 2 : 0);
const signed = (value: number) => (value > 0 ? '+' : '') + rounded(value);

export function trendTable(all: readonly Judged[]): string {
  const rows = all.map(({ name, unit, isInformational, first, last, median, growth, ...rest }) => [
    `${name}${unit && `, ${unit}`}`,
    rounded(first),
    rounded(last),
    rounded(median),
    signed(growth),
    median === 0 ? '' : `${signed((100 * growth) / median)} %`,
    `${signed(rest.least)} to ${signed(rest.most)}`,
    isInformational ? 'not judged' : rest.isFlat ? 'flat' : '**grows**',
  ]);
  return table(
    ['figure', 'first', 'last', 'median', 'growth', 'of median', '95 % interval', ''],
    rows,
  );
}

export function accountTable(all: readonly Account[]): string {
  const rows = all.map((one) => [
    one.meter,
    ...[one.upstream, one.ledger, one.metrics, one.csv].map(String),
    isEqual(one) ? 'equal' : '**differ**',
  ]);
  return table(['units', 'upstream', 'Query.usage', 'metrics', 'spent.csv', ''], rows);
}

/** Lists the most frequent first. */
export function countTable(what: string, counts: ReadonlyMap<string, number>): string {
  const rows = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => [name, String(count)]);
  return table([what, 'times'], rows);
}
