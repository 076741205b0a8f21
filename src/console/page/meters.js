import { createChart, isNear } from './chart.js';
import { h, replaceChanged, setText, show } from './dom.js';
import { dayAndTime, day, number, percent, times } from './format.js';

// A card for each meter: what is spent, what is left, whether it lasts.

/**
 * @typedef {import('../report.ts').Report} Report
 * @typedef {Report['meters'][number]} Meter
 */

/** @param {HTMLElement} place */
export function createMeters(place) {
  /** @type {Map<string, ReturnType<typeof createCard>>} */
  const cards = new Map();

  return {
    /** @param {Report} report */
    draw(report) {
      for (const meter of report.meters) {
        const card = cards.get(meter.meter) ?? createCard(place, meter);
        cards.set(meter.meter, card);
        card.draw(meter, report);
      }
    },
    redraw() {
      for (const card of cards.values()) card.redraw();
    },
  };
}

/** @param {HTMLElement} place @param {Meter} meter */
function createCard(place, { meter, description }) {
  const used = h('span', { class: 'figure', 'data-meter': meter });
  const of = h('span', { class: 'of' });
  const fill = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const bar = gauge(fill);
  const verdict = h('p', { class: 'verdict' });
  const canvas = h('div', { class: 'chart', role: 'img' });
  const readout = h('span', {});
  const days = h('table');
  const chart = createChart(canvas, readout);
  const legend = { spent: key('spent'), forecast: key('forecast'), allowance: key('allowance') };
  place.append(
    h(
      'article',
      { class: 'card', 'aria-labelledby': `title-${meter}` },
      h('h2', { id: `title-${meter}` }, description.replace(/\.$/, '')),
      h('p', {}, used, of),
      bar,
      verdict,
      canvas,
      h('p', { class: 'legend', 'aria-hidden': 'true' }, ...Object.values(legend), readout),
      h('details', {}, h('summary', {}, 'By day'), days),
    ),
  );

  return {
    /** @param {Meter} state @param {Report} report */
    draw(state, report) {
      const { limit, left } = state;
      show(used, number(state.used));
      const whole =
        limit === null ? ` ${unitsOf(state.used)}` : ` of ${number(limit)} ${unitsOf(limit)}`;
      setText(of, left === null ? whole : `${whole}, ${number(left)} left`);
      bar.toggleAttribute('hidden', limit === null);
      fill.setAttribute('width', String(limit ? Math.min(100, (100 * state.used) / limit) : 0));
      const { text, kind } = verdictOf(state, report);
      setText(verdict, text);
      for (const element of [verdict, bar]) element.dataset['kind'] = kind;
      canvas.setAttribute(
        'aria-label',
        `${number(state.used)} ${unitsOf(state.used)} used. ${text}`,
      );
      chart.draw(state, report);
      legend.forecast.hidden = state.forecast === null;
      legend.allowance.hidden = !isNear(state);
      fillDays(days, state, report);
    },
    redraw: chart.redraw,
  };
}

/** @param {number} count */
const unitsOf = (count) => (count === 1 ? 'unit' : 'units');

/** @param {string} name */
const key = (name) => h('span', { class: `key ${name}` }, name);

/** @param {SVGRectElement} fill */
function gauge(fill) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 100 4');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('class', 'gauge');
  svg.setAttribute('aria-hidden', 'true');
  fill.setAttribute('height', '4');
  svg.append(fill);
  return svg;
}

/**
 * What the payer wants to know, in one sentence.
 * @param {Meter} meter
 * @param {Report} report
 * @returns {{ text: string, kind: 'good' | 'warning' | 'bad' | 'none' }}
 */
function verdictOf({ limit, left, forecast }, { month, at }) {
  if (!month.isCurrent) return { text: 'Total for the whole month.', kind: 'none' };
  if (left === 0)
    return {
      text: 'Used up: only cached data are served until there are more units, or the month ends.',
      kind: 'bad',
    };
  if (!forecast) return { text: 'No forecast yet.', kind: 'none' };
  const { exhaustedAt, monthEnd, stretch } = forecast;
  const kept = stretch > 1.02 ? `kept ${times(stretch)} times as long` : '';
  if (exhaustedAt !== null && exhaustedAt < month.end) {
    const when = dayAndTime(Math.max(at, exhaustedAt), month.timezone);
    const although = kept && `, although answers are ${kept}`;
    return { text: `At this rate it runs out on ${when}${although}.`, kind: 'bad' };
  }
  const about = `About ${number(monthEnd)} by ${day(month.end - 1, month.timezone)}`;
  if (limit === null) return { text: `${about}. No allowance is configured.`, kind: 'none' };
  const share = `${about} (${percent(monthEnd, limit)} of the allowance): it lasts`;
  if (kept) return { text: `${share}, since answers are ${kept}.`, kind: 'warning' };
  return { text: `${share}.`, kind: 'good' };
}

/** @param {HTMLTableElement} table @param {Meter} meter @param {Report} report */
function fillDays(table, { hours }, { month, at }) {
  const began = month.days.filter((start) => start <= at);
  const rows = began.map((start, i) => {
    const end = month.days[i + 1] ?? month.end;
    const units = hours.reduce(
      (sum, [hour, spent]) =>
        hour * 3_600_000 >= start && hour * 3_600_000 < end ? sum + spent : sum,
      0,
    );
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, day(start, month.timezone)),
      h('td', {}, number(units)),
    );
  });
  replaceChanged(
    table,
    h(
      'thead',
      {},
      h('tr', {}, h('th', { scope: 'col' }, 'day'), h('th', { scope: 'col' }, 'units')),
    ),
    h('tbody', {}, ...rows),
  );
}
