import { ask, Locked, Refused, useToken } from './client.js';
import { createDatasets } from './datasets.js';
import { byId, setText } from './dom.js';
import { clock, monthName } from './format.js';
import { createMeters } from './meters.js';
import { createMonths } from './months.js';
import { createSpenders } from './spenders.js';
import { createSummary } from './summary.js';

// Polls the gateway for the state of the month every two seconds, and shows it.

/** @typedef {import('../report.ts').Report} Report */

const POLL_MS = 2000;
/** After how long without an answer the page says so. The first report of an hour may take seconds. */
const SLOW_MS = 10_000;
/** After how long another request is tried: the connection may be lost without a sign. */
const GIVE_UP_MS = 90_000;

const meterCards = createMeters(byId('meters'));
const summary = createSummary();
const months = createMonths((month) => {
  setState('past', month ? `loading ${monthName(month)}` : 'loading');
  void update();
});
const parts = [months, summary, meterCards, createSpenders(), createDatasets()];
const NO_ANSWER = 'the gateway does not answer';
/** @type {Report | undefined} */
let report;
let timer = 0;

/** How many updates have begun: only of the last one a failure is shown. */
let begun = 0;

/** @param {boolean} [isPoll] Whether nobody has asked for this update. */
async function update(isPoll = false) {
  clearTimeout(timer);
  const number = (begun += 1);
  const isLast = () => number === begun;
  const slow = setTimeout(() => isLast() && fail(new Error(NO_ANSWER)), SLOW_MS);
  try {
    const month = months.chosen();
    const response = await ask(`report.json${month ? `?month=${encodeURIComponent(month)}` : ''}`, {
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    const newest = /** @type {Report} */ (await response.json());
    // Another month may have been chosen meanwhile, or text selected.
    if (month !== months.chosen()) return;
    if (isPoll && isSelecting()) pause();
    else draw(newest);
  } catch (error) {
    // The next update is of the current month.
    if (error instanceof Refused) months.forget();
    if (isLast() || error instanceof Locked) fail(error);
    if (error instanceof Locked) return;
  } finally {
    clearTimeout(slow);
  }
  pollLater();
}

function pollLater() {
  timer = window.setTimeout(poll, document.hidden ? 10 * POLL_MS : POLL_MS);
}

/** Skips the update while text is selected. */
function poll() {
  if (isSelecting()) {
    pause();
    pollLater();
  } else void update(true);
}

/** New figures would clear a selection that is to be copied. */
const isSelecting = () => document.getSelection()?.type === 'Range';
const pause = () => setState('past', 'paused while text is selected');

/** @param {unknown} error */
function fail(error) {
  if (error instanceof Locked) return lock(error.message);
  const since = report && `; as of ${clock(report.at, report.month.timezone)}`;
  setState('away', reasonOf(error), since);
  summary.forgetUpstream();
}

/** @param {unknown} error */
function reasonOf(error) {
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  if (isTimeout || error instanceof TypeError) return NO_ANSWER;
  return error instanceof Error ? error.message : String(error);
}

/** @param {Report} newest */
function draw(newest) {
  report = newest;
  const { month, sandbox, at, datasets, meters, store } = report;
  const isUnlocked = byId('login').contains(document.activeElement);
  byId('login').hidden = true;
  byId('content').hidden = false;
  // The form is hidden now: without this, the focus would return to the top of the page.
  if (isUnlocked) byId('content').focus();
  byId('months').hidden = false;
  byId('sandbox').hidden = !sandbox;
  const isNothing =
    meters.every(({ used }) => used === 0) &&
    datasets.every(({ month: { questions, requests } }) => questions + requests === 0);
  const isStuck = month.isCurrent && store !== 'ok';
  byId('empty').hidden = !isNothing && !isStuck;
  byId('content').toggleAttribute('data-unknown', isNothing && !month.isCurrent);
  byId('empty').classList.toggle('bad', isStuck);
  byId('empty').textContent = isStuck
    ? 'What is spent cannot be stored at present; the log says why. Until it can, meters with an allowance may spend nothing, and answers grow old.'
    : month.isCurrent
      ? 'Nothing has been asked yet this month. Send a query to the gateway: it will appear here within two seconds.'
      : 'There are no figures for this month.';
  for (const part of parts) part.draw(report);
  if (month.isCurrent) setState('live', 'live', `, ${clock(at, month.timezone)}`);
  else setState('past', 'past month');
}

/**
 * Screen readers read out the text when it changes, but not the time.
 * @param {'live' | 'away' | 'past'} kind @param {string} text @param {string} [time]
 */
function setState(kind, text, time = '') {
  byId('state').dataset['kind'] = kind;
  setText(byId('state-text'), text);
  setText(byId('clock'), time);
}

/** @param {string} problem */
function lock(problem) {
  setState('away', 'locked');
  byId('content').hidden = true;
  byId('months').hidden = true;
  byId('login').hidden = false;
  byId('login-problem').textContent = problem;
  byId('token').focus();
}

byId('login').addEventListener('submit', (event) => {
  event.preventDefault();
  const field = byId('token');
  const token = field instanceof HTMLInputElement ? field.value.trim() : '';
  // A text that no header can carry is not a token.
  if (!/^[\x21-\x7e]+$/.test(token)) return lock('That is not the token.');
  useToken(token);
  void update();
});

/** Downloads with `fetch`, since a link would not send the token. @param {string} month @param {string} file */
async function download(month, file) {
  const lines = await (await ask(`spent.csv?month=${month}`)).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(lines);
  link.download = file;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Downloads the CSV. A problem is shown until the next try; reports that arrive meanwhile do not clear it. */
async function downloadCsv() {
  if (!report) return;
  const { name } = report.month;
  const file = `marketgraph-${name}.csv`;
  const problem = byId('csv-problem');
  problem.textContent = '';
  try {
    await download(name, file);
  } catch (error) {
    if (error instanceof Locked) return lock(error.message);
    problem.textContent = `${file} could not be downloaded: ${reasonOf(error)}`;
  }
}
byId('csv').addEventListener('click', () => void downloadCsv());

document.addEventListener('visibilitychange', () => document.hidden || void update(true));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', meterCards.redraw);
void update();
