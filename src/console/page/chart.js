import uPlot from './uplot.js';
import { dayAndTime, day, number, short } from './format.js';

// The month of one meter as a chart: what was spent so far, the forecast, and the allowance.

/**
 * @typedef {import('../report.ts').Report} Report
 * @typedef {Report['meters'][number]} Meter
 */

const HOUR_MS = 3_600_000;
const HEIGHT = 160;
/** An allowance more than this many times as high as the spending is not drawn: it would flatten the line. */
const MAX_LIMIT_RATIO = 4;

/**
 * Returns times in seconds since 1970, and the values of each series.
 * @param {Meter} meter @param {Report} report @returns {uPlot.AlignedData}
 */
function seriesOf(meter, { month, at }) {
  const until = Math.min(at, month.end);
  const spent = new Map([[month.start, 0]]);
  const sum = meter.hours.reduce((all, [hour, units]) => {
    // When within the hour it was spent is not known: a straight line is drawn.
    spent.set(Math.max(month.start, hour * HOUR_MS), all);
    spent.set(Math.min(until, (hour + 1) * HOUR_MS), all + units);
    return all + units;
  }, 0);
  spent.set(until, Math.max(sum, month.isCurrent ? meter.used : 0));
  const forecast = forecastOf(meter, until, month.end);
  const times = [...new Set([...spent.keys(), ...forecast.keys(), month.end])].toSorted(
    (a, b) => a - b,
  );
  const limit = isNear(meter) ? meter.limit : null;
  return [
    times.map((time) => time / 1000),
    times.map((time) => spent.get(time)),
    times.map((time) => forecast.get(time)),
    times.map(() => limit),
  ];
}

/** @param {Meter} meter @param {number} now @param {number} end @returns {Map<number, number>} */
function forecastOf({ forecast, used }, now, end) {
  if (!forecast) return new Map();
  const { exhaustedAt, monthEnd } = forecast;
  if (exhaustedAt === null)
    return new Map([
      [now, used],
      [end, monthEnd],
    ]);
  return new Map([
    [now, used],
    [Math.max(now, exhaustedAt), monthEnd],
    [end, monthEnd],
  ]);
}

/** Whether the allowance is low enough to be drawn. @param {Meter} meter */
export const isNear = ({ limit, used, forecast }) =>
  limit !== null && limit <= MAX_LIMIT_RATIO * Math.max(used, forecast?.monthEnd ?? 0);

/** @param {string} name */
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * Creates a chart in an element; `draw` shows the newest report, `redraw` applies the colors of a changed theme.
 * @param {HTMLElement} place
 * @param {HTMLElement} readout
 */
export function createChart(place, readout) {
  /** @type {uPlot | undefined} */
  let plot;
  /** @type {[meter: Meter, report: Report] | undefined} */
  let last;

  /** @param {Meter} meter @param {Report} report */
  function draw(meter, report) {
    const isOther = last?.[1].month.name !== report.month.name;
    last = [meter, report];
    const data = seriesOf(meter, report);
    if (plot && !isOther) return plot.setData(data);
    plot?.destroy();
    plot = new uPlot(optionsFor(place, readout, report), data, place);
  }

  new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height: HEIGHT })).observe(
    place,
  );

  return {
    draw,
    redraw() {
      if (!last) return;
      plot?.destroy();
      plot = undefined;
      draw(...last);
    },
  };
}

/** @param {HTMLElement} place @param {HTMLElement} readout @param {Report} report @returns {uPlot.Options} */
function optionsFor(place, readout, { month }) {
  const axis = {
    stroke: color('--faint'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const line = { points: { show: false }, spanGaps: true };
  const zoned = (/** @type {number} */ seconds) => day(seconds * 1000, month.timezone);
  return {
    width: Math.max(200, place.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), month.timezone),
    scales: {
      x: { range: () => [month.start / 1000, month.end / 1000] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max) * 1.08] },
    },
    axes: [
      { ...axis, size: 28, space: 60, values: (_plot, splits) => splits.map(zoned) },
      { ...axis, size: 46, values: (_plot, splits) => splits.map(short) },
    ],
    series: [
      {},
      { ...line, stroke: color('--spent'), fill: color('--spent-fill'), width: 2 },
      { ...line, stroke: color('--forecast'), dash: [6, 5], width: 2 },
      { ...line, stroke: color('--limit'), width: 1 },
    ],
    hooks: {
      setCursor: [(plot) => showValue(plot, readout, month.timezone)],
    },
  };
}

const NAMES = ['', 'spent', 'forecast'];

/** Shows the value under the pointer. @param {uPlot} plot @param {HTMLElement} readout @param {string} timezone */
function showValue({ cursor, data }, readout, timezone) {
  const index = cursor.idx ?? -1;
  const time = data[0][index];
  const one = [1, 2].find((each) => typeof data[each]?.[index] === 'number');
  const value = one && data[one]?.[index];
  const isTold = time !== undefined && one !== undefined && typeof value === 'number';
  readout.textContent = isTold
    ? `${dayAndTime(time * 1000, timezone)}: ${NAMES[one]} ${number(value)}`
    : '';
}
