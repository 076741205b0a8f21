import type { MonacoEditor } from '@graphiql/react';
import type { LineNote } from '../editor.ts';

/** Escapes a text for Monaco, which renders Markdown: texts of the upstream and other people must stay plain. */
const asMarkdown = (text: string) => text.replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);

/** Shows costs in the gutter in place of line numbers; most lines have no cost of their own. */
export function createNotes(editor: MonacoEditor) {
  const decorations = editor.createDecorationsCollection();

  return {
    show(notes: ReadonlyMap<number, LineNote>): void {
      const longest = Math.max(3, ...[...notes.values()].map(({ text }) => text.length));
      editor.updateOptions({
        lineNumbers: (line) => notes.get(line)?.text ?? String(line),
        lineNumbersMinChars: longest + 1,
        glyphMargin: false,
        folding: false,
      });
      decorations.set(
        [...notes].map(([line, { kind, title }]) => ({
          range: { startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: 1 },
          options: {
            lineNumberClassName: `cost-${kind}`,
            lineNumberHoverMessage: { value: asMarkdown(title) },
          },
        })),
      );
    },
  };
}
