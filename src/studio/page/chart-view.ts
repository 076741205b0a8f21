import { candlesOf } from './candles.ts';
import { type Chart, drawCandleChart, drawLines } from './chart.ts';
import { choice, h } from './dom.ts';
import { inWords, summary } from './facts.ts';
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
      shape === 'candles'
        ? { times: only.times, candles: only.candles ?? [] }
        : candlesOf(only, shape);
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
  const element = h('div', { class: 'chart-view' }, summary(series), plot, readout);
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
    ['week', 'Candles by week'],
    ...(spanDays(only) > 100 ? ([['month', 'by month']] as const) : []),
  ];
}

const spanDays = ({ times }: Series) => ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 86_400;

/** On one axis the smaller ones would be flat lines. */
function areFarApart(series: readonly Series[]): boolean {
  const sizes = series.map(({ values }) => Math.max(...values.map(Math.abs)));
  return series.length > 1 && Math.max(...sizes) > 1.2 * Math.min(...sizes);
}
