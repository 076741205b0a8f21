import { ask, withoutDryRun } from './client.ts';
import { byId } from './dom.ts';
import { type Editor, type EditorEvents, PARTS } from './editor.ts';

/** Time for the browser to paint the first answer before it is busy loading the editor. */
const PAINT_MS = 50;

/** The connection broke off, or the gateway was updated since this page came from it. */
const NOT_LOADED = 'The documentation could not be loaded. Reload the page to try again.';

/**
 * Loads the editor that knows the schema. It comes after the first answer, since it is a megabyte. On a phone it comes
 * only once somebody opens the documentation, since Monaco works badly with on-screen keyboards. If it cannot be
 * loaded, the plain one stays.
 */
export async function loadFullEditor(
  plain: Editor,
  events: EditorEvents,
  headers: () => Readonly<Record<string, string>>,
): Promise<Editor> {
  const opened = createDocs();
  if (matchMedia('(max-width: 800px), (pointer: coarse)').matches) await opened;
  await new Promise((resolve) => setTimeout(resolve, PAINT_MS));
  // The larger part starts loading at once, not only when the smaller one imports it.
  import('monaco-graphql/esm/monaco-editor.js').catch(() => undefined);
  const loaded = await import('./full/mount.tsx').catch(() => undefined);
  if (!loaded) {
    byId('docs-wait').textContent = NOT_LOADED;
    return plain;
  }
  const introspect = async (query: string) =>
    (await ask({ query }, withoutDryRun(headers()))).answer.data;
  const given = plain.read();
  const full = await loaded.mountFullEditor(given, events, introspect);
  // Takes over what was typed meanwhile, and the caret. The rest stays: it may have been edited there already.
  const typed = plain.read();
  const field = document.activeElement;
  const focused = PARTS.find((part) => field === byId(`${part}-text`));
  const caret = field instanceof HTMLTextAreaElement ? field.selectionStart : 0;
  for (const part of PARTS) if (typed[part] !== given[part]) full.write({ [part]: typed[part] });
  for (const part of PARTS) byId(`${part}-text`).remove();
  if (focused) full.focus(caret, focused);
  return full;
}

/** Resolves when somebody opens the documentation. */
function createDocs(): Promise<void> {
  const [button, docs, close] = [byId('docs-button'), byId('docs'), byId('docs-close')];
  return new Promise((resolve) => {
    const toggle = () => {
      // A link of the documentation vanishes with the focus when it is followed.
      const hadFocus =
        docs.contains(document.activeElement) ||
        (!docs.hidden && document.activeElement === document.body);
      docs.hidden = !docs.hidden;
      button.setAttribute('aria-expanded', String(!docs.hidden));
      if (hadFocus) button.focus();
      // If it was opened from a name in the query, the focus stays there.
      else if (!docs.hidden && document.activeElement === button) close.focus();
      resolve();
    };
    button.addEventListener('click', toggle);
    close.addEventListener('click', toggle);
    // Escape closes it wherever the focus is, as it closes menus; an open menu is closed first. Widgets that Escape
    // closes inside an editor or the search keep the event to themselves.
    document.addEventListener('keydown', ({ key }) => {
      const isMeant = key === 'Escape' && !docs.hidden;
      if (isMeant && !document.querySelector(':popover-open')) toggle();
    });
  });
}
