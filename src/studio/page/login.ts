import { byId } from './dom.ts';

/** Asks for a key where the gateway wants one. */
export function createLogin(onKey: (key: string) => void) {
  const form = byId('login', HTMLFormElement);
  const field = byId('key', HTMLInputElement);
  let isTried = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    isTried = true;
    onKey(field.value.trim().replace(/^bearer\s+/i, ''));
    field.value = '';
  });
  return {
    show(): void {
      if (isTried) byId('key-label').textContent = 'That is no key of this gateway. Another one:';
      form.hidden = false;
    },
    hide: () => void (form.hidden = true),
  };
}
