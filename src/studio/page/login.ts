import { byId } from './dom.ts';

/**
 * The form that asks for a key if the gateway wants one. `wasRun`: whether somebody has run a question; it is then run
 * again with the key.
 */
export function createLogin(onKey: (key: string, wasRun: boolean) => void) {
  const form = byId('login', HTMLFormElement);
  const field = byId('key', HTMLInputElement);
  let wasUsed = false;
  let wasRun = false;
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
    byId('key-label').textContent = isTried
      ? 'This gateway does not accept that key. Try another:'
      : 'This gateway asks for a key.';
    form.hidden = false;
    // While the key was tried, the form was hidden, and the focus went to the answer.
    if (wasUsed && document.activeElement === byId('answer')) field.focus();
    wasUsed = false;
  }

  return {
    show,
    hide() {
      if (form.contains(document.activeElement)) byId('answer').focus();
      form.hidden = true;
    },
  };
}
