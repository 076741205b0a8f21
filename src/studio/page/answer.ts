import { createChartView, type View } from './chart-view.ts';
import type { Answer, Problem } from './document.ts';
import { byId, choice, h } from './dom.ts';
import { createJsonView } from './json-view.ts';
import { createPageView } from './page-view.ts';
import { findLists, findSeries, partsOf } from './series.ts';
import { createTableView } from './table-view.ts';
import { problemInWords } from './words.ts';

/** The pane with the answer: all of it as a page, as a chart, as a table, as JSON. */

type Kind = 'page' | 'chart' | 'table' | 'json';
const LABELS: Readonly<Record<Kind, string>> = {
  page: 'All',
  chart: 'Chart',
  table: 'Table',
  json: 'JSON',
};

export function createAnswerPane() {
  const [place, controls, problems] = [byId('view'), byId('controls'), byId('problems')];
  const which = byId('which', HTMLSelectElement);
  let view: View<Answer> | undefined;
  let answer: Answer | undefined;
  let wanted: Kind | undefined;

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

  /** What went wrong, where something did. */
  function tell({ errors = [], extensions }: Answer): void {
    const lines = [...Map.groupBy(errors, problemInWords)].map(lineOf);
    const warnings = (extensions?.warnings ?? []).map((warning) => h('li', {}, textOf(warning)));
    problems.replaceChildren(...lines, ...warnings);
    problems.hidden = lines.length + warnings.length === 0;
  }

  which.addEventListener('change', () => show('table'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view?.draw());

  return {
    draw,
    /** An event of a subscription: the view that is there goes on where it can. */
    update(newest: Answer): void {
      const isAlike = answer && kindsFor(newest).join() === kindsFor(answer).join();
      if (!isAlike || !view?.update(newest)) return draw(newest);
      answer = newest;
      tell(newest);
    },
    /** What stands there until an answer comes; one that is there already stays. */
    note(text: string): void {
      if (!answer) place.replaceChildren(h('p', { class: 'faint note' }, text));
    },
    /** Before another question is answered. */
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

/** `list`: which one a table shows. */
function viewOf(kind: Kind, answer: Answer, list: number): View<Answer> {
  const { data } = answer;
  if (kind === 'page') return createPageView(data);
  if (kind === 'json') return createJsonView(answer);
  if (kind === 'chart') return ofAnswers(createChartView(findSeries(data)), findSeries);
  const rows = findLists(data)[list] ?? { name: '', rows: [] };
  return ofAnswers(createTableView(rows), (newest) => findLists(newest)[list]);
}

/** A view of what is found in the data. */
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

/** Fields that fail for the same reason are told of in one line. */
function lineOf([message, alike]: readonly [string, readonly Problem[]]): HTMLElement {
  const code = alike[0]?.extensions?.code;
  const times = alike.reduce((sum, each) => sum + (each.extensions?.count ?? 1), 0);
  const small = [code, times > 1 && `${times} times`].filter(Boolean).join(', ');
  return h('li', {}, message, small && h('small', {}, ` ${small}`));
}

function kindsFor({ data }: Answer): Kind[] {
  const kinds: Kind[] = [];
  const parts = partsOf(data);
  // Fields that one chart shows together need no page.
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
