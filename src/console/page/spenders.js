import { bars, byId, choice, h, replaceChanged } from './dom.js';
import { number, percent } from './format.js';

// Who and what has spent the month's units, the largest spenders first.

/**
 * @typedef {import('../report.ts').Report} Report
 * @typedef {keyof Report['spenders']} Dimension
 */

const FEW = 10;
const METERS = /** @type {const} */ ([
  ['fx', 'FX'],
  ['macro', 'Macro'],
  ['credits', 'Credits'],
]);
/** @type {Record<Dimension, string>} */
const NAMELESS = { client: '(no name)', operation: '(background)', dataset: '(none)' };
/** The name of what later balances have shown, in all three tables. Units that were given back are below zero. */
const CORRECTIONS = '(time-outs)';

export function createSpenders() {
  /** @type {Dimension} */
  let dimension = 'client';
  /** Whether the dimension stays: somebody has chosen it, or a report with spending has decided. */
  let isDecided = false;
  let showsAll = false;
  /** @type {Report | undefined} */
  let report;
  const all = byId('all');

  function draw() {
    if (!report) return;
    const { most, others } = report.spenders[dimension];
    const shown = showsAll ? most : most.slice(0, FEW);
    const rows = shown.map((spender) => row(spender, dimension, /** @type {Report} */ (report)));
    if (others.count > 0 && showsAll)
      rows.push(
        row(
          { name: `${others.count} others`, units: others.units, days: undefined },
          dimension,
          report,
        ),
      );
    replaceChanged(
      byId('spenders'),
      h('thead', {}, heads(dimension)),
      h('tbody', {}, ...(rows.length > 0 ? rows : [nothing()])),
    );
    all.hidden = most.length <= FEW;
    const count = most.length + others.count;
    const whole = others.count > 0 ? `${most.length} of ${count}` : `all ${count}`;
    all.textContent = showsAll ? 'Show the first ten' : `Show ${whole}`;
  }

  all.addEventListener('click', () => {
    showsAll = !showsAll;
    draw();
  });

  const press = choice(
    byId('dimensions'),
    [
      ['client', 'Client'],
      ['operation', 'Operation'],
      ['dataset', 'Dataset'],
    ],
    dimension,
    (value) => {
      isDecided = true;
      dimension = /** @type {Dimension} */ (value);
      draw();
    },
  );

  return {
    /** @param {Report} newest */
    draw(newest) {
      report = newest;
      // If clients have no names, operations say more.
      if (!isDecided) {
        const clients = newest.spenders.client.most;
        dimension = clients.some(({ name }) => name !== '' && name !== CORRECTIONS)
          ? 'client'
          : 'operation';
        press(dimension);
        isDecided = newest.spenders.dataset.most.length > 0;
      }
      draw();
    },
  };
}

/** @param {Dimension} dimension */
const heads = (dimension) =>
  h(
    'tr',
    {},
    h('th', { scope: 'col' }, dimension),
    ...METERS.map(([, label]) => h('th', { scope: 'col', class: 'number' }, label)),
    h('th', { scope: 'col', class: 'number' }, 'share'),
    h('th', { scope: 'col', class: 'wide' }, 'by day'),
  );

const nothing = () =>
  h('tr', {}, h('td', { colspan: 6, class: 'empty' }, 'Nothing has been spent in this month.'));

/**
 * @param {{ name: string, units: Record<string, number>, days: Record<string, number[]> | undefined }} spender
 * @param {Dimension} dimension
 * @param {Report} report
 */
function row({ name, units, days }, dimension, report) {
  const sum = (/** @type {Record<string, number>} */ all) =>
    Object.values(all).reduce((a, b) => a + b, 0);
  const whole = report.spenders[dimension];
  // Shares of what was spent: units that were given back have none.
  const total = [...whole.most, whole.others].reduce(
    (all, one) => all + Math.max(0, sum(one.units)),
    0,
  );
  const length = report.month.days.length;
  const byDay = Array.from({ length }, (_, i) =>
    Object.values(days ?? {}).reduce((all, one) => all + (one[i] ?? 0), 0),
  );
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, name === '' ? NAMELESS[dimension] : name),
    ...METERS.map(([meter]) => h('td', { class: 'number' }, number(units[meter] ?? 0))),
    h('td', { class: 'number' }, sum(units) < 0 ? '–' : percent(sum(units), total)),
    h(
      'td',
      { class: 'wide' },
      days ? bars(byDay, length, `${number(sum(units))} units by day`) : '',
    ),
  );
}
