import type { View } from './chart-view.ts';
import type { Answer } from './document.ts';
import { h } from './dom.ts';

/** Shows the response as it came, with its extensions folded away. */

/** Maximum length, in characters, of a text that is colored: a longer one would take too long. */
const MAX_COLORED_LENGTH = 200_000;
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;

export function createJsonView(first: Answer): View<Answer> {
  const [body, account] = [h('pre', { tabindex: 0 }), h('pre', { tabindex: 0 })];
  const folded = h('details', {}, h('summary', {}, 'extensions: cost and warnings'), account);

  function update({ extensions, ...rest }: Answer): boolean {
    body.replaceChildren(...code(rest));
    account.replaceChildren(...code(extensions ?? {}));
    folded.hidden = !extensions;
    return true;
  }

  update(first);
  const element = h('div', { class: 'json-view' }, body, folded);
  return { element, controls: [], draw() {}, update, destroy() {} };
}

function code(value: unknown): (Node | string)[] {
  const text = JSON.stringify(value, null, 2);
  return text.length > MAX_COLORED_LENGTH ? [text] : colored(text);
}

function colored(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const { 0: token, 1: quoted, 2: colon, index } of text.matchAll(TOKEN)) {
    const kind = colon ? 'name' : quoted ? 'text' : 'value';
    parts.push(text.slice(end, index), h('span', { class: kind }, quoted ?? token), colon ?? '');
    end = index + token.length;
  }
  parts.push(text.slice(end));
  return parts;
}
