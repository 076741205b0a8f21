import type { Draft } from './document.ts';
import { byId } from './dom.ts';

/** What the page needs of an editor: the plain one is available at once, the full one follows. */

export interface EditorText extends Draft {
  /** HTTP headers as JSON. */
  headers: string;
}

/** A note beside a line; lines are counted from 1. */
export interface LineNote {
  text: string;
  kind: 'free' | 'paid' | 'over';
  /** The full text, shown on hover. */
  title: string;
}

export interface Editor {
  read(): EditorText;
  write(text: Partial<EditorText>): void;
  annotate(notes: ReadonlyMap<number, LineNote>): void;
  /** Puts the caret `offset` characters after the beginning of a part, by default the query. */
  focus(offset: number, part?: Part): void;
}

export interface EditorEvents {
  onEdit(): void;
  onRun(): void;
}

export const PARTS = ['query', 'variables', 'headers'] as const;
type Part = (typeof PARTS)[number];
const field = (part: Part) => byId(`${part}-text`, HTMLTextAreaElement);

/** Three plain text fields, which can be typed into before any script has loaded. */
export function createPlainEditor({ onEdit, onRun }: EditorEvents): Editor {
  for (const part of PARTS) {
    field(part).addEventListener('input', onEdit);
    field(part).addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onRun();
    });
  }
  return {
    read: () => ({
      query: field('query').value,
      variables: field('variables').value,
      headers: field('headers').value,
    }),
    write(text) {
      for (const part of PARTS) if (text[part] !== undefined) field(part).value = text[part];
    },
    // A text field has no gutter for notes; the price below shows the same figures.
    annotate() {},
    focus(offset, part = 'query') {
      field(part).setSelectionRange(offset, offset);
      field(part).focus();
    },
  };
}
