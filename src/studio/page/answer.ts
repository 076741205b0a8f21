import { createChartView, type View } from './chart-view.ts';
import type { Answer, Problem } from './document.ts';
import { byId, choice, h } from './dom.ts';
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
  const [place, controls, problems] = [byId('view'), byId('controls'), byId('problems')];
  const which = byId('which', HTMLSelectElement);
  let view: View<Answer> | undefined;
  let answer: Answer | undefined;
  let wanted: Kind | undefined;
  placePane();
  narrow.addEventListener('change', placePane);

  function show(kind: Kind): void {
    if (!answer) return;
    view?.destroy();
    offer(kind === 'table' ? findLists(answer.data).map(({ name }) => name) : []);
    view = viewOf(kind, answer, Number(which.value));
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

  function draw(newest: Answer): void {
    answer = newest;
    const kinds = kindsFor(newest);
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
    tell(newest);
    show(kind);
  }

  /** Shows errors and warnings, if there are any. */
  function tell({ errors = [], extensions }: Answer): void {
    const lines = [...Map.groupBy(errors, problemInWords)].map(lineOf);
    const warnings = (extensions?.warnings ?? []).map((warning) => h('li', {}, textOf(warning)));
    // The list is inside the alert: it would not be a list if it were the alert itself.
    problems.replaceChildren(h('ul', {}, ...lines, ...warnings));
    problems.hidden = lines.length + warnings.length === 0;
  }

  which.addEventListener('change', () => show('table'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view?.draw());

  return {
    draw,
    /** Shows an event of a subscription, in the current view if that can show it. */
    update(newest: Answer): void {
      const isAlike = answer && kindsFor(newest).join() === kindsFor(answer).join();
      if (!isAlike || !view?.update(newest)) return draw(newest);
      answer = newest;
      tell(newest);
    },
    /** Shows a text until an answer comes; an answer that is already shown stays. */
    note(text: string): void {
      if (!answer) place.replaceChildren(h('p', { class: 'faint note' }, text));
    },
    /** Clears the pane for another question. */
    clear(note: string): void {
      view?.destroy();
      [view, answer, wanted] = [undefined, undefined, undefined];
      byId('views').replaceChildren();
      controls.replaceChildren();
      which.replaceChildren();
      which.hidden = true;
      problems.hidden = true;
      this.note(note);
    },
    data: () => answer?.data,
  };
}

/** `list`: index of the list that a table shows. */
function viewOf(kind: Kind, answer: Answer, list: number): View<Answer> {
  const { data } = answer;
  if (kind === 'page') return createPageView(data);
  if (kind === 'json') return createJsonView(answer);
  if (kind === 'chart') return ofAnswers(createChartView(findSeries(data)), findSeries);
  const rows = findLists(data)[list] ?? { name: '', rows: [] };
  return ofAnswers(createTableView(rows), (newest) => findLists(newest)[list]);
}

/** Turns a view of something found in the data into a view of answers. */
const ofAnswers = <Content>(
  view: View<Content>,
  find: (data: unknown) => Content | undefined,
): View<Answer> => ({
  ...view,
  update({ data }) {
    const found = find(data);
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

function kindsFor({ data }: Answer): Kind[] {
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
