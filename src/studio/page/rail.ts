import type { Group, Question } from './document.ts';
import { byId, h } from './dom.ts';

/** The choice of questions: a list on the left, or a drop-down field on a narrow screen. */
export function createRail(onChoice: (id: string) => void, onNew: () => void) {
  const [list, select] = [byId('questions'), byId('chooser', HTMLSelectElement)];
  select.addEventListener('change', () => onChoice(select.value));
  byId('new').addEventListener('click', onNew);

  function groupOf({ name, questions }: Group, current: string): HTMLElement {
    const items = questions.map((question) => {
      const attributes = {
        type: 'button',
        'aria-current': question.id === current && 'true',
        click: () => onChoice(question.id),
      };
      return h('li', {}, h('button', attributes, question.name));
    });
    return h('section', {}, h('h2', {}, name), h('ul', {}, ...items));
  }

  return {
    draw(groups: readonly Group[], { id: current, name: title }: Question): void {
      byId('title').textContent = title;
      document.title = `${title} – Marketgraph`;
      const hadFocus = list.contains(document.activeElement);
      const shown = groups.filter(({ questions }) => questions.length > 0);
      list.replaceChildren(...shown.map((group) => groupOf(group, current)));
      select.replaceChildren(
        ...shown.map(({ name, questions }) =>
          h(
            'optgroup',
            { label: name },
            ...questions.map(({ id, name: label }) => h('option', { value: id }, label)),
          ),
        ),
      );
      select.value = current;
      if (hadFocus) list.querySelector<HTMLElement>('[aria-current]')?.focus();
    },
  };
}
