import { candlesOf } from './candles.ts';
import { type Chart, drawCandleChart, drawLines, type Frame } from './chart.ts';
import { choice, h } from './dom.ts';
import { inWords, summary } from './facts.ts';
import type { Series } from './series.ts';

/** Shows series as a chart, with the last value, change and extremes of each. */

type Shape = 'line' | 'candles' | 'week' | 'month';
type Axis = 'own' | 'indexed';

export interface View<Content> {
  element: HTMLElement;
  /** Shown beside the choice of views. */
  controls: readonly HTMLElement[];
  /** To be called once the element is in the page, and again when colors have changed. */
  draw(): void;
  /** Shows newer content, keeping what somebody has chosen; returns false if it needs another view. */
  update(content: Content): boolean;
  destroy(): void;
}

export function createChartView(first: readonly Series[]): View<readonly Series[]> {
  let series = first;
  const shapes = shapesOf(series);
  let shape: Shape = shapes[0]?.[0] ?? 'line';
  let axis: Axis = areFarApart(series) ? 'indexed' : 'own';
  let chart: Chart | undefined;
  const facts = summary(series);
  const plot = h('div', { class: 'plot', role: 'img', 'aria-label': inWords(series) });
  const readout = h('p', { class: 'readout', 'aria-hidden': 'true' });
  const shapeChoice = h('div', { role: 'group', 'aria-label': 'Shape', class: 'choice' });
  const axisChoice = h('div', { role: 'group', 'aria-label': 'Scale', class: 'choice' });

  function draw(): void {
    const [zoom, pointer] = [chart?.zoom(), chart?.pointer()];
    chart?.destroy();
    chart = drawn({ place: plot, readout, pointer });
    if (zoom) chart.zoomTo(zoom);
  }

  function drawn(frame: Frame): Chart {
    const [only] = series;
    if (shape === 'line' || !only) return drawLines(frame, { series, indexed: axis === 'indexed' });
    const { times, candles } =
      shape === 'candles'
        ? { times: only.times, candles: only.candles ?? [] }
        : candlesOf(only, shape);
    return drawCandleChart(frame, { name: only.name, times, candles });
  }

  function update(newest: readonly Series[]): boolean {
    if (newest.length !== series.length || shapesOf(newest).join() !== shapes.join()) return false;
    series = newest;
    facts.replaceChildren(...summary(series).children);
    plot.setAttribute('aria-label', inWords(series));
    draw();
    return true;
  }

  choice(shapeChoice, shapes, shape, (chosen) => {
    shape = chosen;
    draw();
  });
  const axes: readonly [Axis, string][] = [
    ['own', 'Values'],
    ['indexed', 'Indexed to 100'],
  ];
  choice(axisChoice, series.length > 1 ? axes : [], axis, (chosen) => {
    axis = chosen;
    draw();
  });
  return {
    element: h('div', { class: 'chart-view' }, facts, plot, readout),
    controls: [shapeChoice, axisChoice],
    draw,
    update,
    destroy: () => chart?.destroy(),
  };
}

/** Minimum number of values from which candles are made. */
const MIN_CANDLE_VALUES = 15;

function shapesOf(series: readonly Series[]): (readonly [Shape, string])[] {
  const [only] = series;
  if (series.length !== 1 || !only) return [['line', 'Line']];
  if (only.candles)
    return [
      ['candles', 'Candles'],
      ['line', 'Line'],
    ];
  const isDaily = only.times.length >= MIN_CANDLE_VALUES && spanDays(only) / only.times.length < 5;
  if (!isDaily) return [['line', 'Line']];
  return [
    ['line', 'Line'],
    ['week', 'Weekly candles'],
    ...(spanDays(only) > 100 ? ([['month', 'Monthly']] as const) : []),
  ];
}

const spanDays = ({ times }: Series) => ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 86_400;

/** Whether the series differ so much in size that the smaller ones would be flat lines on one axis. */
function areFarApart(series: readonly Series[]): boolean {
  const sizes = series.map(({ values }) => Math.max(...values.map(Math.abs)));
  return series.length > 1 && Math.max(...sizes) > 1.2 * Math.min(...sizes);
}
