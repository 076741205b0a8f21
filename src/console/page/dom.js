// Elements without a framework. Text is set as text, never as HTML: names of clients and operations are other people's.

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | boolean | EventListener | undefined>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** @param {string} id */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/**
 * Sets a text. One that is the same is left alone: a screen reader would read it out again, or lose its place.
 * @param {Element} element @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Like `replaceChildren`, but keeps what need not change: with an element, a screen reader would lose its place.
 * @param {Node} parent @param {Node[]} children
 */
export function replaceChanged(parent, ...children) {
  for (const [i, child] of children.entries()) {
    const old = parent.childNodes[i];
    if (!old) parent.appendChild(child);
    else if (isSameTag(old, child)) replaceChanged(old, ...child.childNodes);
    else if (!old.isEqualNode(child)) old.replaceWith(child);
  }
  while (parent.childNodes.length > children.length) parent.lastChild?.remove();
}

/** Whether both are elements that differ at most in what they contain. @param {Node} one @param {Node} other */
const isSameTag = (one, other) =>
  one instanceof Element && one.cloneNode().isEqualNode(other.cloneNode());

/** Sets a figure, and flashes it if it has changed. @param {Element} element @param {string} text */
export function show(element, text) {
  if (element.textContent === text) return;
  const isFirst = element.textContent === '';
  element.textContent = text;
  if (isFirst) return;
  element.classList.remove('changed');
  // Restarts the animation if it is still running.
  void element.getBoundingClientRect();
  element.classList.add('changed');
}

/**
 * Draws a choice of one among several as buttons. Returns a function that presses one of them without a click.
 * @param {Element} group
 * @param {readonly (readonly [value: string, label: string])[]} options
 * @param {string} chosen
 * @param {(value: string) => void} onChoice
 */
export function choice(group, options, chosen, onChoice) {
  const buttons = options.map(([value, label]) => h('button', { type: 'button', value }, label));
  const press = (/** @type {string} */ value) => {
    for (const button of buttons)
      button.setAttribute('aria-pressed', String(button.value === value));
  };
  for (const button of buttons)
    button.addEventListener('click', () => {
      press(button.value);
      onChoice(button.value);
    });
  press(chosen);
  group.replaceChildren(...buttons);
  return press;
}

/**
 * A bar for each day, in a picture as high as a line of text.
 * @param {readonly number[]} values
 * @param {number} length
 * @param {string} label
 */
export function bars(values, length, label) {
  const NS = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(NS, 'svg');
  const most = Math.max(1, ...values);
  svg.setAttribute('viewBox', `0 0 ${length * 4} 20`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  for (const [i, value] of values.entries()) {
    if (value <= 0) continue;
    const height = Math.max(1, (20 * value) / most);
    const rect = document.createElementNS(NS, 'rect');
    const box = { x: i * 4, y: 20 - height, width: 3, height };
    for (const [name, side] of Object.entries(box)) rect.setAttribute(name, side.toFixed(1));
    svg.append(rect);
  }
  return svg;
}
