import 'uplot/dist/uPlot.min.css';
import './theme.css';
import './frame.css';
import './answer.css';
import './editor.css';
import './print.css';
import { createAddress, type Named } from './address.ts';
import { createAnswerPane } from './answer.ts';
import { createAsking } from './asking.ts';
import { hasKey, isUnauthenticated, withKey } from './client.ts';
import { createCostBar } from './cost-bar.ts';
import { type Costs, createCosts, mayRun } from './costs.ts';
import type { Answer, Draft } from './document.ts';
import { byId } from './dom.ts';
import { createPlainEditor, type Editor } from './editor.ts';
import { loadFullEditor } from './full-editor.ts';
import { createHistory } from './history.ts';
import { notesOf } from './line-notes.ts';
import { createLogin } from './login.ts';
import { createMemory } from './memory.ts';
import { createParts } from './parts.ts';
import { createQuestionButtons } from './question-buttons.ts';
import { createRail } from './rail.ts';
import { createRunner } from './run.ts';
import { createRunButton } from './run-button.ts';
import { isSandbox, noteSandbox } from './sandbox.ts';
import { createSession, EMPTY, EMPTY_CARET } from './session.ts';
import { createShareMenu } from './share-menu.ts';

// The page as a whole: what is in the editor, what it costs, what the gateway answers.

const memory = createMemory();
const address = createAddress(move, (id) => session.has(id));
const session = createSession(memory, address.read());
const answer = createAnswerPane();
const runButton = createRunButton(
  () => void run(),
  () => runner.stop(),
);
const events = { onEdit, onRun: () => runButton.isStarting() || void run() };
let editor: Editor = createPlainEditor(events);
const asking = createAsking(() => editor.read(), onEdit);
const costBar = createCostBar(() => costs.plan());
const costs = createCosts(asking.asked, showPrice);

const runner = createRunner({
  onStart(isLive) {
    login.hide();
    runButton.start(isLive);
    costBar.clearCost();
    answer.begin(isLive);
  },
  onReply({ answer: came, freshSeconds }) {
    if (isLocked(came)) return;
    answer.draw(came);
    memory.noteFresh(ran.key, came, freshSeconds);
    costBar.showCost(came, freshSeconds);
    memory.addPast({ ...ran.past, at: Date.now(), cost: byId('cost').textContent });
    if (editor.read().query === ran.past.query) runButton.show('Run again');
  },
  onUpdate(came) {
    if (isLocked(came)) return;
    answer.update(came);
    if (came.data) costBar.showLive(came);
  },
  onBreak: () => costBar.showBreak(),
  onFailure: (message) => answer.fail(message),
  onEnd(isStopped) {
    runButton.end();
    answer.end(TO_RUN);
    costBar.end(isStopped);
    costs.plan(isStopped);
  },
});

/** Whether a key is missing or wrong. If so, shows the form for one, and nothing else. */
function isLocked(came: Answer, wasRun = true): boolean {
  noteSandbox(came);
  if (!isUnauthenticated(came)) return false;
  answer.clear('');
  login.show(hasKey(asking.headers()), wasRun);
  return true;
}

/** What was run last: the editor may hold something else when its answer comes. */
let ran = { past: { ...session.draft(), name: '' }, key: '' };

async function run(): Promise<void> {
  const sent = asking.asked();
  if (!sent) return answer.fail(asking.problem());
  const { headers, ...body } = sent;
  ran = { past: { ...asking.draft(), name: session.current().name }, key: asking.key() };
  await runner.run(body, headers, asking.operation()?.kind === 'subscription');
}

/** The last known content: an editor also reports what the page itself has written into it. */
let known = '';
const written = () => ({ ...editor.read(), ...asking.draft() });

function onEdit(): void {
  const text = written();
  if (JSON.stringify(text) === known) return;
  known = JSON.stringify(text);
  session.edit(text);
  if (session.isOwn()) drawNames();
  memory.headers.write(text.headers);
  if (!runner.isRunning()) runButton.show('Run');
  drawChoices();
  costs.plan();
}

const drawNames = () => rail.draw(session.groups(), session.current());

function drawChoices(): void {
  asking.drawChoice();
  questionButtons.draw();
}

function showPrice(found: Costs): void {
  costBar.showPrice(found, memory.memory.fresh[asking.key()]);
  editor.annotate(notesOf(found));
  if ('answer' in found) noteSandbox(found.answer);
}

const TO_RUN = 'Run it to see the answer here.';

/** Shows the question that the session has chosen. */
function open(): void {
  runner.abandon();
  const draft = session.draft();
  address.write(session.current().id);
  asking.want(draft.operationName);
  editor.write(draft);
  known = JSON.stringify(written());
  drawNames();
  answer.clear(TO_RUN);
  costBar.clearCost();
  // The price of the question before must not stay if the gateway does not answer.
  showPrice({ kind: 'unknown' });
  runButton.show('Run');
  drawChoices();
}

const rail = createRail(choose, () => add(EMPTY, EMPTY_CARET));
const questionButtons = createQuestionButtons(session, choose);

function choose(id: string): void {
  session.choose(id);
  open();
  void runIfCheap();
}

/** Opens the question that the address names, unless it no longer exists. */
function move({ linked, id }: Named): void {
  if (linked) session.link(linked);
  const current = session.current().id;
  if (id === undefined || !session.has(id)) address.write(current);
  else if (id !== current) choose(id);
}

function add(draft: Draft, caret?: number): void {
  session.add(draft);
  open();
  costs.plan();
  if (caret !== undefined) editor.focus(caret);
}

/** Runs an operation automatically if it costs nothing: in a sandbox any, otherwise one that is all in the cache. */
async function runIfCheap(): Promise<void> {
  const found = await costs.now();
  if (found?.kind === 'refused') isLocked(found.answer, false);
  if (!found || !mayRun(found, isSandbox())) return;
  const running = run();
  if (found.kind !== 'live') await running; // Live updates have no end.
}

const login = createLogin((key, wasRun) => {
  editor.write({ headers: JSON.stringify(withKey(asking.headers(), key)) });
  onEdit();
  login.hide();
  answer.note(TO_RUN);
  // The editor may hold something else by now, which nobody has run.
  void (wasRun && ran.key === asking.key() ? run() : runIfCheap());
});

createShareMenu(asking.draft, asking.headers);
createHistory(() => memory.memory.history, add);
createParts();

editor.write({ headers: memory.headers.read() });
open();

// The full editor reports changes a moment late; the page may be closed before that.
addEventListener('pagehide', onEdit);

await runIfCheap();
editor = await loadFullEditor(editor, events, asking.headers);
onEdit();
costs.showAgain();
