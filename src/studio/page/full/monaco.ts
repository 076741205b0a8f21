import type { MonacoEditor } from '@graphiql/react';
import { KeyCode, KeyMod } from '@graphiql/react';
import type { PARTS } from '../editor.ts';

/** The three Monaco editors of the page. */
export type MonacoEditors = Record<(typeof PARTS)[number], MonacoEditor>;

/** What all of them have in common. */
export function configure(editor: MonacoEditor, label: string, onRun: () => void): void {
  editor.updateOptions({
    ariaLabel: label,
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    fontSize: 14,
    // Turkish letters are no mistakes.
    unicodeHighlight: {
      ambiguousCharacters: false,
      invisibleCharacters: false,
      nonBasicASCII: false,
    },
    wordWrap: 'on',
    wrappingIndent: 'indent',
    fixedOverflowWidgets: true,
    scrollbar: { alwaysConsumeMouseWheel: false },
    // The tab key writes spaces until Ctrl+M lets it lead on to what comes next.
    tabFocusMode: false,
    padding: { top: 8 },
  });
  // Of two actions for the same keys the later one counts: GraphiQL's own would look for its own answer pane.
  editor.addAction({
    id: 'studio-run',
    label: 'Run operation',
    keybindings: [KeyMod.CtrlCmd | KeyCode.Enter],
    run: onRun,
  });
}
