import type { Draft } from './document.ts';
import { byId, h } from './dom.ts';
import { clock } from './format.ts';
import type { Past } from './memory.ts';

/** The menu of what was run in this browser, newest first. */
export function createHistory(read: () => readonly Past[], onChoice: (draft: Draft) => void): void {
  const menu = byId('history');

  function itemOf(past: Past): HTMLElement {
    const click = () => {
      menu.hidePopover();
      onChoice(past);
    };
    const today = new Date().toDateString() === new Date(past.at).toDateString();
    const when = today ? clock(past.at) : new Date(past.at).toLocaleDateString('en-GB');
    return h(
      'li',
      {},
      h('button', { type: 'button', click }, past.name, h('small', {}, `${when} · ${past.cost}`)),
    );
  }

  menu.addEventListener('beforetoggle', ({ newState }) => {
    // Items stay when it closes: the focus goes back only from an item that still exists.
    if (newState !== 'open') return;
    const items = read().map(itemOf);
    byId('history-list').replaceChildren(...items);
    byId('history-none').hidden = items.length > 0;
  });
}
