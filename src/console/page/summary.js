import { byId, h, setText } from './dom.js';
import { duration, number, percent } from './format.js';

// The month in a line: what the cache has saved, units spent, how old answers were, the upstream, replicas.

/** @typedef {import('../report.ts').Report} Report */

const LABELS = /** @type {const} */ ([
  ['saved', 'saved by the cache'],
  ['spent', 'units spent'],
  ['without', 'without a cache'],
  ['age', 'mean age of answers'],
  ['upstream', 'upstream'],
  ['replicas', 'replicas'],
]);

/** Maximum number of failing datasets that are named. */
const MAX_NAMED = 2;

export function createSummary() {
  /** @type {Map<string, HTMLElement>} */
  const values = new Map();
  for (const [name, label] of LABELS) {
    const value = h('dd', { 'data-figure': name });
    values.set(name, value);
    byId('summary').append(h('div', {}, h('dt', {}, label), value));
  }

  return {
    /** @param {Report} report */
    draw(report) {
      for (const [name, text] of Object.entries(figuresOf(report))) {
        const value = values.get(name);
        if (value) setText(value, text);
      }
      values.get('upstream')?.classList.toggle('bad', report.keyRefusedBy.length > 0);
    },
    /** Called when no report says how the upstream is. */
    forgetUpstream() {
      const value = values.get('upstream');
      if (value) value.textContent = '–';
    },
  };
}

/** @param {Report} report @returns {Record<(typeof LABELS)[number][0], string>} */
function figuresOf({ datasets, spenders, meters, keyRefusedBy, replicas, month }) {
  const spent = meters.reduce((sum, { used }) => sum + used, 0);
  const sum = (/** @type {'questions' | 'ageMs'} */ column) =>
    datasets.reduce((all, one) => all + one.month[column], 0);
  const questions = sum('questions');
  const saved = savedUnits(datasets, spenders.dataset);
  return {
    saved: questions > 0 ? percent(saved, spent + saved) : '–',
    spent: number(spent),
    without: questions > 0 ? number(spent + saved) : '–',
    age: questions > 0 ? duration(sum('ageMs') / questions) : '–',
    upstream: upstreamInWords(keyRefusedBy, month, datasets),
    replicas: String(replicas),
  };
}

/**
 * The state of the upstream now. With a past month, only a refused key is reported.
 * @param {Report['keyRefusedBy']} refusing @param {Report['month']} month @param {Report['datasets']} datasets
 */
function upstreamInWords(refusing, month, datasets) {
  if (refusing.length > 0)
    return refusing.map((group) => `Group ${group} refuses the key`).join(', ');
  if (!month.isCurrent) return '–';
  const failing = datasets.filter(({ recent }) => recent.failed > 0);
  // The table below lists each of them.
  if (failing.length > MAX_NAMED) return `${failing.length} datasets failing`;
  const trouble = failing.map(
    ({ dataset, recent }) => `${dataset}: ${number(recent.failed)} failed`,
  );
  return trouble.join(', ') || 'fine';
}

/**
 * Units that the cache has saved: what the questions that needed no request would have cost, at the mean cost of their
 * dataset's requests. Polls for live updates are requests without a question: if they are many, the cache hits count.
 * @param {Report['datasets']} datasets @param {Report['spenders']['dataset']} spenders
 */
function savedUnits(datasets, { most }) {
  const unitsOf = new Map(
    most.map(({ name, units }) => [name, Object.values(units).reduce((a, b) => a + b, 0)]),
  );
  return datasets.reduce((sum, { dataset, month }) => {
    const paid = month.requests - month.failed;
    const cost = paid > 0 ? Math.max(1, (unitsOf.get(dataset) ?? 0) / paid) : 1;
    return sum + Math.max(month.hits, month.questions - month.requests) * cost;
  }, 0);
}
