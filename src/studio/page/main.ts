import 'uplot/dist/uPlot.min.css';
import './frame.css';
import './answer.css';
import './editor.css';
import { createAnswerPane } from './answer.ts';
import { isUnauthenticated } from './client.ts';
import { createCostBar, notesOf } from './cost-bar.ts';
import { type Asked, createCosts } from './costs.ts';
import type { Answer, Draft } from './document.ts';
import { byId, h } from './dom.ts';
import { createPlainEditor, type Editor } from './editor.ts';
import { createHistory } from './history.ts';
import { loadFullEditor } from './full-editor.ts';
import { createLogin } from './login.ts';
import { createMemory } from './memory.ts';
import { operationNamed, readDocument } from './operations.ts';
import { createParts } from './parts.ts';
import { createRail } from './rail.ts';
import { createRunner } from './run.ts';
import { retrievedAt } from './series.ts';
import { createSession } from './session.ts';
import { readLink } from './share.ts';
import { createShareMenu } from './share-menu.ts';
import { clock } from './format.ts';

// The page as a whole: what is in the editor, what it costs, what the gateway answers.

const linked = readLink(location.search);
const memory = createMemory();
const session = createSession(memory, linked);
const answer = createAnswerPane();
const operationChoice = byId<HTMLSelectElement>('operation');
let wantedOperation = linked?.operationName;
let updates = 0;

const events = { onEdit, onRun: () => void run() };
let editor: Editor = createPlainEditor(events);

/** What would be sent; undefined where it is only half written. */
function asked(): Asked | undefined {
  const { query, variables } = editor.read();
  const operation = operationNamed(readDocument(query) ?? [], wantedOperation);
  try {
    const given: unknown = variables.trim() === '' ? undefined : JSON.parse(variables);
    return { query, variables: given, operationName: operation?.name, headers: headers() };
  } catch {
    return undefined;
  }
}

function headers(): Record<string, string> {
  try {
    return JSON.parse(editor.read().headers.trim() || '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

const costBar = createCostBar(() => costs.plan());
const costs = createCosts(asked, (found) => {
  costBar.showPrice(found, memory.memory.fresh[fieldsKey()]);
  editor.annotate(notesOf(found));
  if ('answer' in found) noteSandbox(found.answer);
});

/** By these the gateway's times to live are remembered. */
const fieldsKey = () =>
  operationNamed(readDocument(editor.read().query) ?? [], wantedOperation)
    ?.fields.map(({ name }) => name)
    .join(' ') ?? '';

function noteSandbox({ extensions }: Answer): void {
  if (extensions?.sandbox) byId('sandbox').hidden = false;
}

const runner = createRunner({
  onStart(isLive) {
    login.hide();
    updates = 0;
    byId('answer').setAttribute('aria-busy', 'true');
    byId('run-word').textContent = isLive ? 'Stop' : 'Running…';
    costBar.clearCost(isLive ? 'Waiting for the first update' : '');
  },
  onReply({ answer: came, freshSeconds }) {
    const { usage } = came.extensions ?? {};
    const since = retrievedAt(came.data);
    if (freshSeconds !== undefined) memory.memory.fresh[fieldsKey()] = freshSeconds;
    noteSandbox(came);
    answer.draw(came);
    if (isUnauthenticated(came)) login.show();
    const freshUntil = freshSeconds === undefined ? undefined : Date.now() + freshSeconds * 1000;
    if (usage) costBar.showCost({ usage, freshUntil, retrievedAt: since });
    remember(byId('cost').textContent);
    byId('run-word').textContent = 'Run again';
    costs.plan();
  },
  onUpdate(came) {
    updates += 1;
    noteSandbox(came);
    answer.update(came);
    if (isUnauthenticated(came)) login.show();
    costBar.clearCost(`Live · ${updates} ${updates === 1 ? 'update' : 'updates'}, the last at ${clock(Date.now())}`);
  },
  onFailure(message) {
    answer.draw({ errors: [{ message: `The gateway did not answer: ${message}` }] });
  },
  onEnd() {
    byId('answer').removeAttribute('aria-busy');
    const word = byId('run-word');
    if (word.textContent !== 'Run again') word.textContent = 'Run';
  },
});

function remember(cost: string): void {
  const { query, variables } = editor.read();
  const { name } = session.current();
  memory.addPast({ name, query, variables, at: Date.now(), cost });
}

async function run(): Promise<void> {
  const sent = asked();
  if (!sent) {
    answer.draw({ errors: [{ message: 'The variables are no JSON.' }] });
    return;
  }
  const { query, variables, operationName } = sent;
  const operation = operationNamed(readDocument(query) ?? [], operationName);
  await runner.run({ query, variables, operationName }, sent.headers, operation?.kind === 'subscription');
}

/** An editor also tells of what the page itself has written into it. */
let known = '';

function onEdit(): void {
  const text = editor.read();
  if (JSON.stringify(text) === known) return;
  known = JSON.stringify(text);
  session.edit(text);
  memory.headers.write(text.headers);
  if (!runner.isRunning()) byId('run-word').textContent = 'Run';
  drawOperations();
  costs.plan();
}

function drawOperations(): void {
  const operations = readDocument(editor.read().query) ?? [];
  const names = operations.flatMap(({ name }) => name ?? []);
  operationChoice.hidden = names.length < 2;
  operationChoice.replaceChildren(...names.map((name) => h('option', {}, name)));
  operationChoice.value = operationNamed(operations, wantedOperation)?.name ?? '';
  byId('reset').hidden = !session.isChanged();
  byId('remove').hidden = !session.isOwn();
}

operationChoice.addEventListener('change', () => {
  wantedOperation = operationChoice.value;
  costs.plan();
});

/** Takes up the question that the session has chosen. */
function open(note = 'Run it to see the answer here.'): void {
  runner.stop();
  editor.write(session.draft());
  known = JSON.stringify(editor.read());
  byId('title').textContent = session.current().name;
  rail.draw(session.groups(), session.current().id);
  answer.clear(note);
  costBar.clearCost();
  byId('run-word').textContent = 'Run';
  drawOperations();
}

const rail = createRail(choose, () => add({ query: '{\n  \n}\n', variables: '{}' }));

function choose(id: string): void {
  wantedOperation = undefined;
  session.choose(id);
  open();
  void runIfCheap();
}

function add(draft: Draft): void {
  session.add(draft);
  open();
  costs.plan();
}

/** Runs by itself what costs nothing: in a sandbox everything, else what is in the cache already. */
async function runIfCheap(): Promise<void> {
  const found = await costs.now();
  if (found?.kind === 'refused' && isUnauthenticated(found.answer)) login.show();
  if (found?.kind === 'live' && !byId('sandbox').hidden) void run();
  if (found?.kind !== 'known') return;
  const isFree = Object.values(found.whole.most).every((units) => units === 0);
  if (isFree || found.answer.extensions?.sandbox) await run();
}

const login = createLogin((key) => {
  editor.write({ headers: JSON.stringify({ authorization: `Bearer ${key}` }) });
  onEdit();
  void run();
});

createShareMenu(() => ({ ...editor.read(), operationName: asked()?.operationName }), headers);
createHistory(() => memory.memory.history, add);
createParts();
byId('run').addEventListener('click', () => (runner.isRunning() ? runner.stop() : void run()));
byId('reset').addEventListener('click', () => {
  session.reset();
  choose(session.current().id);
});
byId('remove').addEventListener('click', () => {
  session.remove();
  choose(session.current().id);
});

editor.write({ headers: memory.headers.read() });
open('');
void runIfCheap().then(() => loadFullEditor(editor, events, headers).then((full) => {
  editor = full;
  costs.plan();
}));
