import uPlot from 'uplot';
import { drawCandles } from './candle-plot.ts';
import { color } from './dom.ts';
import { day, number, short } from './format.ts';
import type { Candle, Series } from './series.ts';

/** Lines or candles over time. */

export const COLORS = ['--s1', '--s2', '--s3', '--s4', '--s5', '--s6'];

export interface Lines {
  series: readonly Series[];
  /** Whether each series begins at 100, so that large and small values can be compared. */
  indexed: boolean;
}

interface CandleChart {
  name: string;
  times: readonly number[];
  candles: readonly Candle[];
}

/** Seconds since 1970. */
interface Zoom {
  min: number;
  max: number;
}

/** In pixels from the corner of the plot; negative if it is elsewhere. */
interface Pointer {
  left: number;
  top: number;
}

/** Where a chart is drawn. */
export interface Frame {
  place: HTMLElement;
  /** Shows the values under the pointer. */
  readout: HTMLElement;
  /** Where the pointer is, if this chart replaces another one. */
  pointer: Pointer | undefined;
}

export interface Chart {
  pointer(): Pointer;
  /** The time range that somebody has zoomed into; undefined if all of it is shown. */
  zoom(): Zoom | undefined;
  zoomTo(zoom: Zoom): void;
  destroy(): void;
}

/** Scales values so that the first one is 100. Rising values go up even if the first one is negative. */
function indexed(values: readonly number[]): number[] {
  const first = values.find((value) => value !== 0) ?? 1;
  return values.map((value) => 100 + (100 * (value - first)) / Math.abs(first));
}

export function drawLines(frame: Frame, lines: Lines): Chart {
  const { series } = lines;
  const tables = series.map(({ times, values }): uPlot.AlignedData => [
    times,
    lines.indexed ? indexed(values) : values,
  ]);
  const isOne = series.length === 1;
  const options = series.map(({ name }, i): uPlot.Series => ({
    label: name,
    stroke: color(COLORS[i % COLORS.length] ?? '--s1'),
    ...(isOne && { fill: color('--spent-fill') }),
    width: 2,
    spanGaps: true,
    points: { show: (series[i]?.times.length ?? 0) < 40, size: 6, fill: color('--card') },
  }));
  const tell = (plot: uPlot, index: number) =>
    series
      .flatMap(({ name }, i) => {
        const value = plot.data[i + 1]?.[index];
        return typeof value === 'number' ? [`${isOne ? '' : `${name} `}${number(value)}`] : [];
      })
      .join(' · ');
  return create(frame, uPlot.join(tables), options, tell);
}

export function drawCandleChart(frame: Frame, { times, candles }: CandleChart): Chart {
  const side = (name: keyof Candle) => candles.map((candle) => candle[name]);
  const data: uPlot.AlignedData = [
    [...times],
    side('open'),
    side('high'),
    side('low'),
    side('close'),
  ];
  const hidden: uPlot.Series[] = ['open', 'high', 'low', 'close'].map((label) => ({
    label,
    paths: () => null,
    points: { show: false },
  }));
  const tell = (_plot: uPlot, index: number) => {
    const candle = candles[index];
    if (!candle) return '';
    const { open, high, low, close } = candle;
    return `open ${number(open)} · high ${number(high)} · low ${number(low)} · close ${number(close)}`;
  };
  return create(frame, data, hidden, tell, drawCandles(candles));
}

function create(
  { place, readout, pointer }: Frame,
  data: uPlot.AlignedData,
  series: uPlot.Series[],
  tell: (plot: uPlot, index: number) => string,
  draw?: (plot: uPlot) => void,
): Chart {
  const axis = {
    stroke: color('--faint'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  };
  const size = () => ({
    width: Math.max(200, place.clientWidth),
    height: Math.max(160, place.clientHeight),
  });
  const plot = new uPlot(
    {
      ...size(),
      padding: [12, 28, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: true, y: false },
        // A ring in the line's color; candles have no line.
        points: draw ? { show: false } : { size: 8, width: 2 },
        ...pointer,
      },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      axes: [
        {
          ...axis,
          size: 32,
          space: 74,
          values: (_plot, splits, _axis, _space, step) => dates(splits, step),
        },
        { ...axis, size: 58, values: (_plot, splits) => splits.map(short) },
      ],
      series: [{}, ...series],
      hooks: {
        setCursor: [
          (self) => {
            const index = self.cursor.idx ?? -1;
            const time = self.data[0][index];
            readout.textContent = time === undefined ? '' : `${day(time)}: ${tell(self, index)}`;
          },
        ],
        ...(draw && { draw: [draw] }),
      },
      scales: draw ? { x: { range: (_plot, min, max) => rangeOf(min, max, data[0]) } } : {},
    },
    data,
    place,
  );
  const observer = new ResizeObserver(() => plot.setSize(size()));
  observer.observe(place);
  return {
    pointer: () => ({ left: plot.cursor.left ?? -1, top: plot.cursor.top ?? -1 }),
    zoom() {
      const { min = 0, max = 0 } = plot.scales['x'] ?? {};
      const [times] = plot.data;
      const isPart = min > (times[0] ?? 0) || max < (times.at(-1) ?? 0);
      return isPart ? { min, max } : undefined;
    },
    zoomTo: (zoom) => plot.setScale('x', zoom),
    destroy() {
      observer.disconnect();
      plot.destroy();
      readout.textContent = '';
    },
  };
}

const DAY = 86_400;

/** Labels of the time axis: months if the steps are that long, with the year where it begins, else days. */
function dates(splits: readonly number[], step: number): string[] {
  return splits.map((time, i) => {
    const [date = '', month = '', year = ''] = day(time).split(' ');
    if (step < 28 * DAY) return `${date} ${month}`;
    return i === 0 || month === 'Jan' ? `${month} ${year}` : month;
  });
}

/** All candles are shown whole, with half a step beside the first and the last; a part that somebody chose stays. */
function rangeOf(min: number, max: number, times: ArrayLike<number>): [number, number] {
  const [first = min, last = max] = [times[0], times[times.length - 1]];
  if (min > first || max < last) return [min, max];
  const half = times.length > 1 ? (last - first) / (times.length - 1) / 2 : 1;
  return [first - half, last + half];
}
