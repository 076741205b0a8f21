import { ask, withoutDryRun } from './client.ts';
import { byId } from './dom.ts';
import { type Editor, type EditorEvents, PARTS } from './editor.ts';

/** Time for the browser to show the first answer before it is busy with the editor. */
const PAINT_MS = 50;

/**
 * The editor that knows the schema comes after the first answer: it is a megabyte. On a phone it comes only
 * for the documentation, since a keyboard on glass and Monaco do not go together.
 */
export async function loadFullEditor(
  plain: Editor,
  events: EditorEvents,
  headers: () => Readonly<Record<string, string>>,
): Promise<Editor> {
  const opened = createDocs();
  if (matchMedia('(max-width: 800px), (pointer: coarse)').matches) await opened;
  await new Promise((resolve) => setTimeout(resolve, PAINT_MS));
  // At once, instead of when the smaller part has found out that it needs the larger one.
  void import('monaco-graphql/esm/monaco-editor.js');
  const { mountFullEditor } = await import('./full/mount.tsx');
  const introspect = async (query: string) =>
    (await ask({ query }, withoutDryRun(headers()))).answer.data;
  const given = plain.read();
  const full = await mountFullEditor(given, events, introspect);
  // What was typed meanwhile, and where. The rest stays: somebody may have typed into the new editor already.
  const typed = plain.read();
  const field = byId('query-text', HTMLTextAreaElement);
  const caret = document.activeElement === field ? field.selectionStart : undefined;
  for (const part of PARTS) if (typed[part] !== given[part]) full.write({ [part]: typed[part] });
  for (const part of PARTS) byId(`${part}-text`).remove();
  if (caret !== undefined) full.focus(caret);
  return full;
}

/** Resolves when somebody wants to see the documentation. */
function createDocs(): Promise<void> {
  const [button, docs, close] = [byId('docs-button'), byId('docs'), byId('docs-close')];
  return new Promise((resolve) => {
    const toggle = () => {
      const hadFocus = docs.contains(document.activeElement);
      docs.hidden = !docs.hidden;
      button.setAttribute('aria-expanded', String(!docs.hidden));
      if (hadFocus) button.focus();
      // Who came by a name in the query goes on there.
      else if (!docs.hidden && document.activeElement === button) close.focus();
      resolve();
    };
    button.addEventListener('click', toggle);
    close.addEventListener('click', toggle);
    // As with the menus, wherever the focus is; an open one is closed first. What Escape closes inside an editor or the
    // search lets it come no further.
    document.addEventListener('keydown', ({ key }) => {
      const isMeant = key === 'Escape' && !docs.hidden;
      if (isMeant && !document.querySelector(':popover-open')) toggle();
    });
  });
}
