import { byId } from './dom.ts';

/** Asks for a key where the gateway wants one. */
export function createLogin(onKey: (key: string) => void) {
  const form = byId('login', HTMLFormElement);
  const field = byId('key', HTMLInputElement);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onKey(field.value.trim().replace(/^bearer\s+/i, ''));
    field.value = '';
  });
  return {
    show: () => void (form.hidden = false),
    hide: () => void (form.hidden = true),
  };
}
