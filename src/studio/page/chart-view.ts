import { candlesOf } from './candles.ts';
import { type Chart, COLORS, drawCandleChart, drawLines } from './chart.ts';
import { choice, h } from './dom.ts';
import { day, number, percent, signed } from './format.ts';
import type { Series } from './series.ts';

/** Series as a chart, with what each began and ended with. */

type Shape = 'line' | 'candles' | 'week' | 'month';
type Axis = 'own' | 'indexed';

export interface View {
  element: HTMLElement;
  /** What stands beside the choice of views. */
  controls: readonly HTMLElement[];
  /** Call it once the element is in the page, and again where colours have changed. */
  draw(): void;
  destroy(): void;
}

export function createChartView(series: readonly Series[]): View {
  const shapes = shapesOf(series);
  let shape: Shape = shapes[0]?.[0] ?? 'line';
  let axis: Axis = areFarApart(series) ? 'indexed' : 'own';
  let chart: Chart | undefined;
  const plot = h('div', { class: 'plot', role: 'img', 'aria-label': inWords(series) });
  const readout = h('p', { class: 'readout', 'aria-hidden': 'true' });
  const shapeChoice = h('div', { role: 'group', 'aria-label': 'Shape', class: 'choice' });
  const axisChoice = h('div', { role: 'group', 'aria-label': 'Scale', class: 'choice' });

  function draw(): void {
    chart?.destroy();
    const [only] = series;
    if (shape === 'line' || !only) {
      chart = drawLines(plot, readout, { series, indexed: axis === 'indexed' });
      return;
    }
    const { times, candles } =
      shape === 'candles' ? { times: only.times, candles: only.candles ?? [] } : candlesOf(only, shape);
    chart = drawCandleChart(plot, readout, { name: only.name, times, candles });
  }

  choice(shapeChoice, shapes, shape, (chosen) => {
    shape = chosen;
    draw();
  });
  const axes: readonly [Axis, string][] = [
    ['own', 'Values'],
    ['indexed', 'From 100'],
  ];
  choice(axisChoice, series.length > 1 ? axes : [], axis, (chosen) => {
    axis = chosen;
    draw();
  });
  const element = h('div', { class: 'chart-view' }, readout, plot, summary(series));
  return { element, controls: [shapeChoice, axisChoice], draw, destroy: () => chart?.destroy() };
}

/** Fewer values than this make no candles. */
const ENOUGH = 15;

function shapesOf(series: readonly Series[]): (readonly [Shape, string])[] {
  const [only] = series;
  if (series.length !== 1 || !only) return [['line', 'Line']];
  if (only.candles)
    return [
      ['candles', 'Candles'],
      ['line', 'Line'],
    ];
  const isDaily = only.times.length >= ENOUGH && spanDays(only) / only.times.length < 5;
  if (!isDaily) return [['line', 'Line']];
  return [
    ['line', 'Line'],
    ['week', 'Weeks'],
    ...(spanDays(only) > 100 ? ([['month', 'Months']] as const) : []),
  ];
}

const spanDays = ({ times }: Series) => ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 86_400;

/** On one axis the smaller ones would be flat lines. */
function areFarApart(series: readonly Series[]): boolean {
  const sizes = series.map(({ values }) => Math.max(...values.map(Math.abs)));
  return series.length > 1 && Math.max(...sizes) > 2 * Math.min(...sizes);
}

interface Facts {
  last: number;
  change: number;
  changePercent: number;
  min: readonly [value: number, time: number];
  max: readonly [value: number, time: number];
}

function factsOf({ times, values, candles }: Series): Facts {
  const [first = 0, last = 0] = [candles?.[0]?.open ?? values[0], values.at(-1)];
  const lows = candles?.map(({ low }) => low) ?? values;
  const highs = candles?.map(({ high }) => high) ?? values;
  const [min, max] = [Math.min(...lows), Math.max(...highs)];
  return {
    last,
    change: last - first,
    changePercent: first === 0 ? 0 : (100 * (last - first)) / first,
    min: [min, times[lows.indexOf(min)] ?? 0],
    max: [max, times[highs.indexOf(max)] ?? 0],
  };
}

/** The chart for those who do not see it. */
function inWords(series: readonly Series[]): string {
  return series
    .map((one) => {
      const { last, changePercent, min, max } = factsOf(one);
      const [from = 0, to = 0] = [one.times[0], one.times.at(-1)];
      return `${one.name} from ${day(from)} to ${day(to)}: ${number(last)} at last, ${percent(changePercent)}; lowest ${number(min[0])} on ${day(min[1])}, highest ${number(max[0])} on ${day(max[1])}.`;
    })
    .join(' ');
}

function summary(series: readonly Series[]): HTMLElement {
  const heads = ['', 'last', 'change', '%', 'lowest', 'highest'];
  const rows = series.map((one, i) => {
    const facts = factsOf(one);
    const sign = facts.change < 0 ? 'down' : 'up';
    const extreme = ([value, time]: readonly [number, number]) =>
      h('td', { class: 'number' }, number(value), h('small', {}, ` ${day(time)}`));
    return h(
      'tr',
      {},
      h('th', { scope: 'row', class: `key ${COLORS[i % COLORS.length]?.slice(2)}` }, one.name),
      h('td', { class: 'number' }, number(facts.last)),
      h('td', { class: `number ${sign}` }, signed(facts.change)),
      h('td', { class: `number ${sign}` }, percent(facts.changePercent)),
      extreme(facts.min),
      extreme(facts.max),
    );
  });
  const head = h('tr', {}, ...heads.map((text) => h('th', { scope: 'col', class: text && 'number' }, text)));
  const table = h('table', { class: 'facts' }, h('thead', {}, head), h('tbody', {}, ...rows));
  return h('div', { class: 'scroll' }, table);
}
