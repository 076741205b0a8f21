import { byId } from './dom.ts';

/**
 * The form that asks for a key if the gateway wants one. `wasRun`: whether somebody has run a question; it is then run
 * again with the key.
 */
export function createLogin(onKey: (key: string, wasRun: boolean) => void) {
  const form = byId('login', HTMLFormElement);
  const field = byId('key', HTMLInputElement);
  const label = byId('key-label');
  let wasUsed = false;
  let wasRun = false;
  /** What had the focus when the form was hidden last: when a question was run, or a key was used. */
  let focused: Element | null | undefined;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = field.value.trim().replace(/^bearer\s+/i, '');
    field.value = '';
    // A text that no header can carry is not a key.
    if (!/^[\x21-\x7e]+$/.test(key)) return show(true, wasRun);
    wasUsed = true;
    onKey(key, wasRun);
  });

  /** `isTried`: whether a key was sent, perhaps one that was valid before. */
  function show(isTried: boolean, isOfRun: boolean): void {
    wasRun = isOfRun;
    // Always a new text, even if it is the same: it is announced again.
    label.textContent = isTried
      ? 'This gateway does not accept that key. Try another:'
      : 'This gateway asks for a key.';
    form.hidden = false;
    // Only from where it was: live updates may need a key long after they were run, while somebody types elsewhere.
    if ((isOfRun || wasUsed) && document.activeElement === focused) field.focus();
    wasUsed = false;
  }

  return {
    show,
    hide() {
      if (form.contains(document.activeElement)) byId('answer').focus();
      focused = document.activeElement;
      form.hidden = true;
      label.textContent = '';
    },
  };
}
