import { COLORS } from './chart.ts';
import { h } from './dom.ts';
import { day, digitsOf, number, numberWith, percent, signed } from './format.ts';
import type { Series } from './series.ts';

/**
 * The last value of a series, its change and its extremes. A change has no color: rising prices are bad news, and a
 * rising rate is good for only one of its currencies.
 */

interface Facts {
  last: number;
  change: number;
  /** In percent, or as a difference if the first value is not positive. */
  changeInWords: string;
  lastDay: string;
  min: readonly [value: number, day: string];
  max: readonly [value: number, day: string];
}

/** When a value was. Of a candle only the days that it stands for are known, not on which of them it was. */
function dayOf({ times, candles }: Series, i: number): string {
  const first = day(times[i] ?? 0);
  if (!candles) return first;
  const end = Date.parse(String(candles[i]?.end)) / 1000;
  if (Number.isNaN(end)) return `from ${first}`;
  return day(end) === first ? first : `${first} – ${day(end)}`;
}

function factsOf(series: Series): Facts {
  const { values, candles } = series;
  const [first = 0, last = 0] = [candles?.[0]?.open ?? values[0], values.at(-1)];
  const lows = candles?.map(({ low }) => low) ?? values;
  const highs = candles?.map(({ high }) => high) ?? values;
  const [min, max] = [Math.min(...lows), Math.max(...highs)];
  return {
    last,
    change: last - first,
    changeInWords: first > 0 ? percent((100 * (last - first)) / first) : signed(last - first),
    lastDay: dayOf(series, values.length - 1),
    min: [min, dayOf(series, lows.indexOf(min))],
    max: [max, dayOf(series, highs.indexOf(max))],
  };
}

/** Describes the chart for screen readers. */
export function inWords(series: readonly Series[]): string {
  return series
    .map((one) => {
      const { last, lastDay, changeInWords, min, max } = factsOf(one);
      return `${one.name} from ${day(one.times[0] ?? 0)}: latest ${number(last)} (${lastDay}), change ${changeInWords}; lowest ${number(min[0])} (${min[1]}), highest ${number(max[0])} (${max[1]}).`;
    })
    .join(' ');
}

/** One series in large figures, several as a table that tells which line is which. */
export function summary(series: readonly Series[]): HTMLElement {
  const [only] = series;
  return only && series.length === 1 ? tiles(only) : table(series);
}

function tiles(one: Series): HTMLElement {
  const facts = factsOf(one);
  const change = signed(facts.change);
  const tile = (name: string, figure: string, more: string) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, figure, ' ', h('small', {}, more)));
  return h(
    'dl',
    { class: 'tiles' },
    tile(one.name, number(facts.last), facts.lastDay),
    tile('Change', facts.changeInWords, change === facts.changeInWords ? '' : change),
    tile('Lowest', number(facts.min[0]), facts.min[1]),
    tile('Highest', number(facts.max[0]), facts.max[1]),
  );
}

const HEADS = ['Last', 'Change', 'Lowest', 'Highest'];

function table(series: readonly Series[]): HTMLElement {
  const head = h(
    'tr',
    {},
    // Above the names: not a heading, since it says nothing.
    h('td'),
    ...HEADS.map((text) => h('th', { scope: 'col', class: 'number' }, text)),
  );
  const facts = series.map(factsOf);
  const digits = digitsOf(facts.flatMap(({ last, min, max }) => [last, min[0], max[0]]));
  const rows = facts.map((known, i) => rowOf(series[i]?.name ?? '', known, i, digits));
  const body = h('tbody', {}, ...rows);
  return h(
    'div',
    { class: 'scroll facts', tabindex: 0, role: 'region', 'aria-label': 'Summary' },
    h('table', {}, h('thead', {}, head), body),
  );
}

function rowOf(name: string, facts: Facts, i: number, digits: number | undefined): HTMLElement {
  const color = COLORS[i % COLORS.length]?.slice(2);
  const extreme = ([value, when]: readonly [number, string]) =>
    h('td', { class: 'number', title: when }, numberWith(value, digits));
  return h(
    'tr',
    {},
    h('th', { scope: 'row', class: `key ${color}` }, name),
    h('td', { class: 'number' }, numberWith(facts.last, digits)),
    h('td', { class: 'number' }, facts.changeInWords),
    extreme(facts.min),
    extreme(facts.max),
  );
}
