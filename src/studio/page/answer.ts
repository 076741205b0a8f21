import { createChartView, type View } from './chart-view.ts';
import type { Answer, Problem } from './document.ts';
import { byId, choice, h, show as showChanged } from './dom.ts';
import { createEvents } from './events.ts';
import { createJsonView } from './json-view.ts';
import { createPageView } from './page-view.ts';
import { findLists, findSeries, partsOf } from './series.ts';
import { createTableView } from './table-view.ts';
import { problemInWords } from './words.ts';

/** The pane that shows the answer: as a page of all its fields, a chart, a table or JSON. */

type Kind = 'page' | 'chart' | 'table' | 'json';
const LABELS: Readonly<Record<Kind, string>> = {
  page: 'All',
  chart: 'Chart',
  table: 'Table',
  json: 'JSON',
};

interface Shown {
  /** The latest answer, as it came. */
  answer: Answer;
  /** Its data; of a subscription that sends one event at a time, with all events so far. */
  data: unknown;
}

/** The same width as in the style sheets. */
const narrow = matchMedia('(max-width: 800px)');

/** Puts the answer beside the query; above it in a narrow window, since it is what people came for. */
function placePane(): void {
  const [pane, focused] = [byId('answer'), document.activeElement];
  if (narrow.matches) byId('ask').before(pane);
  else byId('ask').after(pane);
  // An element that moves loses the focus.
  if (focused instanceof HTMLElement && pane.contains(focused)) focused.focus();
}

export function createAnswerPane() {
  const [pane, place] = [byId('answer'), byId('view')];
  const [controls, problems] = [byId('controls'), byId('problems')];
  const which = byId('which', HTMLSelectElement);
  const events = createEvents();
  let view: View<Shown> | undefined;
  let shown: Shown | undefined;
  let wanted: Kind | undefined;
  placePane();
  narrow.addEventListener('change', placePane);

  function show(kind: Kind): void {
    if (!shown) return;
    view?.destroy();
    offer(kind === 'table' ? findLists(shown.data).map(({ name }) => name) : []);
    view = viewOf(kind, shown, Number(which.value));
    place.replaceChildren(view.element);
    place.dataset['kind'] = kind;
    controls.replaceChildren(...view.controls);
    view.draw();
  }

  function offer(lists: readonly string[]): void {
    const chosen = Number(which.value);
    which.replaceChildren(...lists.map((name, i) => h('option', { value: i }, name)));
    which.value = String(lists[chosen] === undefined ? 0 : chosen);
    which.hidden = lists.length < 2;
  }

  function draw(newest: Shown): void {
    shown = newest;
    const kinds = kindsFor(newest.data);
    const kind = wanted && kinds.includes(wanted) ? wanted : (kinds[0] ?? 'json');
    choice(
      byId('views'),
      kinds.map((each) => [each, LABELS[each]] as const),
      kind,
      (chosen) => {
        wanted = chosen;
        show(chosen);
      },
    );
    // What is wrong is announced again, even if it is the same.
    problems.replaceChildren();
    tell(newest.answer);
    show(kind);
  }

  /** Shows errors and warnings, if there are any. */
  function tell({ errors = [], extensions }: Answer): void {
    const lines = [...Map.groupBy(errors, problemInWords)].map(lineOf);
    const warnings = (extensions?.warnings ?? []).map((warning) => h('li', {}, textOf(warning)));
    // The list is inside the alert: it would not be a list if it were the alert itself.
    showChanged(problems, h('ul', {}, ...lines, ...warnings));
    problems.hidden = lines.length + warnings.length === 0;
  }

  which.addEventListener('change', () => show('table'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view?.draw());

  return {
    /** For a run that begins: the answer before it stays until another one comes. */
    begin(isLive: boolean): void {
      events.clear();
      pane.setAttribute('aria-busy', 'true');
      this.note(isLive ? 'Waiting for the first update.' : 'Waiting for the answer.');
    },
    /** For a run that is over, perhaps without an answer. */
    end(note: string): void {
      pane.removeAttribute('aria-busy');
      this.note(note);
    },
    draw: (answer: Answer) => draw({ answer, data: answer.data }),
    /** Shows an event of a subscription, in the current view if that can show it. */
    update(answer: Answer): void {
      const newest = { answer, data: events.withEarlier(answer.data) };
      const isAlike = shown && kindsFor(newest.data).join() === kindsFor(shown.data).join();
      if (!isAlike || !view?.update(newest)) return draw(newest);
      shown = newest;
      tell(answer);
    },
    /** Shows why there is no answer, beside the one before. */
    fail(message: string): void {
      draw({ answer: { data: shown?.answer.data, errors: [{ message }] }, data: shown?.data });
    },
    /** Shows a text until an answer comes; an answer that is already shown stays. */
    note(text: string): void {
      if (!shown) place.replaceChildren(h('p', { class: 'faint note' }, text));
    },
    /** Clears the pane for another question. */
    clear(note: string): void {
      view?.destroy();
      events.clear();
      [view, shown, wanted] = [undefined, undefined, undefined];
      byId('views').replaceChildren();
      controls.replaceChildren();
      which.replaceChildren();
      which.hidden = true;
      problems.hidden = true;
      this.end(note);
    },
  };
}

/** `list`: index of the list that a table shows. */
function viewOf(kind: Kind, { answer, data }: Shown, list: number): View<Shown> {
  if (kind === 'page') return ofShown(createPageView(data), (newest) => newest.data);
  if (kind === 'json') return ofShown(createJsonView(answer), (newest) => newest.answer);
  if (kind === 'chart')
    return ofShown(createChartView(findSeries(data)), (newest) => findSeries(newest.data));
  const rows = findLists(data)[list] ?? { name: '', rows: [] };
  return ofShown(createTableView(rows), (newest) => findLists(newest.data)[list]);
}

/** Turns a view of something found in what is shown into a view of that. */
const ofShown = <Content>(
  view: View<Content>,
  find: (newest: Shown) => Content | undefined,
): View<Shown> => ({
  ...view,
  update(newest) {
    const found = find(newest);
    return found !== undefined && view.update(found);
  },
});

/** One line for all fields that fail for the same reason. */
function lineOf([message, alike]: readonly [string, readonly Problem[]]): HTMLElement {
  const code = alike[0]?.extensions?.code;
  const times = alike.reduce((sum, each) => sum + (each.extensions?.count ?? 1), 0);
  const small = [code, times > 1 && `${times} times`].filter(Boolean).join(', ');
  return h('li', {}, message, small && h('small', {}, ` ${small}`));
}

function kindsFor(data: unknown): Kind[] {
  const kinds: Kind[] = [];
  const parts = partsOf(data);
  // No page is needed for fields that one chart shows together.
  const isMixed = parts.some(
    ([name, value]) => value !== null && findSeries({ [name]: value }).length === 0,
  );
  if (parts.length > 1 && isMixed) kinds.push('page');
  if (findSeries(data).length > 0) kinds.push('chart');
  if (findLists(data).length > 0) kinds.push('table');
  return [...kinds, 'json'];
}

function textOf(warning: unknown): string {
  const message = (warning as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : JSON.stringify(warning);
}
