import type { MonacoEditor } from '@graphiql/react';
import { KeyCode, KeyMod } from '@graphiql/react';
import type { PARTS } from '../editor.ts';

/** The three Monaco editors of the page. */
export type MonacoEditors = Record<(typeof PARTS)[number], MonacoEditor>;

/** Configures what all of them have in common. */
export function configure(editor: MonacoEditor, label: string, onRun: () => void): void {
  editor.updateOptions({
    ariaLabel: label,
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    fontSize: 14,
    // Turkish letters are not mistakes.
    unicodeHighlight: {
      ambiguousCharacters: false,
      invisibleCharacters: false,
      nonBasicASCII: false,
    },
    wordWrap: 'on',
    wrappingIndent: 'indent',
    fixedOverflowWidgets: true,
    scrollbar: { alwaysConsumeMouseWheel: false },
    // Tab inserts spaces until Ctrl+M lets it move the focus.
    tabFocusMode: false,
    padding: { top: 8 },
  });
  // Overrides GraphiQL's own action for the same keys, which would look for its own answer pane: the later one counts.
  editor.addAction({
    id: 'studio-run',
    label: 'Run operation',
    keybindings: [KeyMod.CtrlCmd | KeyCode.Enter],
    run: onRun,
  });
}
