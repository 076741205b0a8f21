/** Elements without a framework. Text is set as text, never as HTML: it comes from the upstream and other people. */

type Attribute = string | number | boolean | undefined | ((event: never) => void);

export function h<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value as EventListener);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** Throws if the page has no such element. */
export function byId<T extends HTMLElement = HTMLElement>(
  id: string,
  type: abstract new () => T = HTMLElement as unknown as abstract new () => T,
): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no #${id}`);
  return element;
}

/** Does nothing if the text stays the same: screen readers would announce it again. */
export function show(element: Element, ...children: readonly (HTMLElement | string)[]): void {
  const texts = children.map((child) => (typeof child === 'string' ? child : child.textContent));
  if (element.textContent !== texts.join('')) element.replaceChildren(...children);
}

/** Like `replaceChildren`, but what stays in its place keeps the focus and what is selected in it. */
export function arrange(parent: Element, children: readonly Element[]): void {
  const kept = new Set(children);
  const gone = Array.from(parent.children).filter((old) => !kept.has(old));
  for (const old of gone) old.remove();
  let next = parent.firstElementChild;
  for (const child of children)
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
}

/** Draws a choice of one among several as buttons; none if there is nothing to choose. */
export function choice<T extends string>(
  group: Element,
  options: readonly (readonly [value: T, label: string])[],
  chosen: T,
  onChoice: (value: T) => void,
): void {
  const buttons = options.map(([value, label]) => {
    const pressed = String(value === chosen);
    const button = h('button', { type: 'button', 'aria-pressed': pressed }, label);
    button.addEventListener('click', () => {
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
      onChoice(value);
    });
    return button;
  });
  group.replaceChildren(...(buttons.length > 1 ? buttons : []));
}

/** The value of a color that the style sheet defines. */
export const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
