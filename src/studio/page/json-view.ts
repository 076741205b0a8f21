import type { View } from './chart-view.ts';
import type { Answer } from './document.ts';
import { h } from './dom.ts';

/** The response as it came, with the account folded away. */

/** Colours are not worth the time that a longer text takes. */
const MOST_COLOURED = 200_000;
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;

export function createJsonView({ extensions, ...rest }: Answer): View {
  const element = h('div', { class: 'json-view' }, code(rest));
  if (extensions)
    element.append(h('details', {}, h('summary', {}, 'extensions: the account'), code(extensions)));
  return { element, controls: [], draw() {}, destroy() {} };
}

function code(value: unknown): HTMLElement {
  const text = JSON.stringify(value, null, 2);
  const pre = h('pre', { tabindex: 0 });
  if (text.length > MOST_COLOURED) pre.textContent = text;
  else pre.append(...coloured(text));
  return pre;
}

function coloured(text: string): (Node | string)[] {
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
