import { byId, choice, h, replaceChanged } from './dom.js';
import { duration, number, percent } from './format.js';

// How much of each dataset the cache answers, and how the upstream performs.

/**
 * @typedef {import('../report.ts').Report} Report
 * @typedef {Report['datasets'][number]} Dataset
 * @typedef {'month' | 'recent'} Span
 */

const HEADS = [
  'questions',
  'from the cache',
  'mean age',
  'requests',
  'failed',
  'mean upstream time',
];

export function createDatasets() {
  /** @type {Span} */
  let span = 'month';
  /** @type {Report | undefined} */
  let report;

  function draw() {
    if (!report) return;
    // The last hour is not part of a month that is over.
    const { isCurrent } = report.month;
    byId('spans').hidden = !isCurrent;
    const shown = isCurrent ? span : 'month';
    const rows = report.datasets.filter((one) => one[shown].questions + one[shown].requests > 0);
    replaceChanged(
      byId('datasets'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, 'dataset'),
          ...HEADS.map((head) => h('th', { scope: 'col', class: 'number' }, head)),
        ),
      ),
      h('tbody', {}, ...(rows.length > 0 ? rows.map((one) => row(one, shown)) : [nothing()])),
    );
  }

  choice(
    byId('spans'),
    [
      ['month', 'Month'],
      ['recent', 'Last hour'],
    ],
    span,
    (value) => {
      span = /** @type {Span} */ (value);
      draw();
    },
  );

  return {
    /** @param {Report} newest */
    draw(newest) {
      report = newest;
      draw();
    },
  };
}

const nothing = () =>
  h('tr', {}, h('td', { colspan: 7, class: 'empty' }, 'Nothing has been asked in this period.'));

/** @param {Dataset} one @param {Span} span */
function row(one, span) {
  const { questions, hits, stale, ageMs, requests, failed, durationMs } = one[span];
  const cells = [
    number(questions),
    `${percent(hits, questions)}${stale > 0 ? `, ${number(stale)} stale` : ''}`,
    questions > 0 ? duration(ageMs / questions) : '–',
    number(requests),
    failed > 0 ? `${number(failed)} (${percent(failed, requests)})` : '0',
    requests > 0 ? duration(durationMs / requests) : '–',
  ];
  return h(
    'tr',
    { class: failed * 5 > requests ? 'trouble' : undefined },
    h('th', { scope: 'row' }, one.dataset),
    ...cells.map((text) => h('td', { class: 'number' }, text)),
  );
}
