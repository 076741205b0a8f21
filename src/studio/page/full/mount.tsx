import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/react/style.css';
import './full.css';
import { createRoot } from 'react-dom/client';
import { byId } from '../dom.ts';
import { type Editor, type EditorEvents, type EditorText, PARTS } from '../editor.ts';
import { Editors } from './editors.tsx';
import type { MonacoEditors } from './monaco.ts';
import { nameDocs } from './docs-names.ts';
import { createNotes } from './notes.ts';
import { setUpWorkers } from './workers.ts';

/** Puts GraphiQL's editors and documentation into their places on the page. */

/** `introspect` returns the data of an introspection query. */
export async function mountFullEditor(
  initial: EditorText,
  events: EditorEvents,
  introspect: (query: string) => Promise<unknown>,
): Promise<Editor> {
  setUpWorkers();
  const places = Object.fromEntries(
    [...PARTS, 'docs' as const].map((part) => [part, byId(part)]),
  ) as Record<(typeof PARTS)[number] | 'docs', HTMLElement>;
  nameDocs(places.docs);
  const editors = await new Promise<MonacoEditors>((resolve) => {
    createRoot(document.createElement('div')).render(
      <Editors {...{ places, initial, events, introspect }} onReady={resolve} />,
    );
  });
  const notes = createNotes(editors.query);
  return {
    read: () => ({
      query: editors.query.getValue(),
      variables: editors.variables.getValue(),
      headers: editors.headers.getValue(),
    }),
    write(text) {
      for (const part of PARTS) {
        const value = text[part];
        if (value !== undefined && value !== editors[part].getValue())
          editors[part].setValue(value);
      }
    },
    annotate: notes.show,
    focus(offset, part = 'query') {
      const position = editors[part].getModel()?.getPositionAt(offset);
      if (position) editors[part].setPosition(position);
      editors[part].focus();
    },
  };
}
