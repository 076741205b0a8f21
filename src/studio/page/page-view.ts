import { createChartView, type View } from './chart-view.ts';
import { h } from './dom.ts';
import { words } from './format.ts';
import { findLists, findSeries, partsOf } from './series.ts';
import { createTableView } from './table-view.ts';

/** Shows all outermost fields below each other, each as a chart, or its first list as a table. */
export function createPageView(data: unknown): View<unknown> {
  const views: View<never>[] = [];

  function contentOf(name: string, value: unknown): HTMLElement {
    if (value === null) return h('p', { class: 'faint' }, 'nothing');
    const own = { [name]: value };
    const series = findSeries(own);
    const [list = { name, rows: [] }] = findLists(own);
    const view = series.length > 0 ? createChartView(series) : createTableView(list, words(name));
    views.push(view);
    return view.element;
  }

  const sections = partsOf(data).map(([name, value]) =>
    h('section', {}, h('h3', {}, words(name)), contentOf(name, value)),
  );
  return {
    element: h(
      'div',
      { class: 'page-view', tabindex: 0, role: 'region', 'aria-label': 'All' },
      ...sections,
    ),
    controls: [],
    draw() {
      for (const view of views) view.draw();
    },
    // A subscription has one outermost field, and so no page.
    update: () => false,
    destroy() {
      for (const view of views) view.destroy();
    },
  };
}
