import type * as monaco from 'monaco-editor';

/** Themes of the editors. In GraphiQL's own, comments, brackets and directives are too faint to read on this page. */
export const THEMES = { dark: 'studio-dark', light: 'studio-light' } as const;

const NONE = '#ffffff00';

/** Selections, marks and links take the page's accent color; widgets, the background of its cards. */
function colorsOf(accent: string, card: string): monaco.editor.IColors {
  const marked = `${accent}22`;
  return {
    'editor.background': NONE,
    'scrollbar.shadow': NONE,
    'editorHoverWidget.background': card,
    'editorSuggestWidget.background': card,
    'editorSuggestWidget.selectedBackground': marked,
    'editorSuggestWidget.selectedForeground': accent,
    'editorWidget.background': card,
    'list.focusHighlightForeground': accent,
    'list.highlightForeground': accent,
    'list.hoverBackground': marked,
    'menu.background': card,
    'menu.selectionBackground': marked,
    'menu.selectionForeground': accent,
    'quickInput.background': card,
    'quickInputList.focusBackground': marked,
    'quickInputList.focusForeground': accent,
    'textLink.foreground': accent,
    'editorLink.activeForeground': accent,
    focusBorder: accent,
  };
}

export function defineThemes({ editor }: typeof monaco): void {
  editor.defineTheme(THEMES.dark, {
    base: 'vs-dark',
    inherit: true,
    colors: colorsOf('#2dd4bf', '#171e27'),
    rules: [
      { token: 'argument.identifier.gql', foreground: '#908aff' },
      { token: 'comment', foreground: '#7ba668' },
    ],
  });
  editor.defineTheme(THEMES.light, {
    base: 'vs',
    inherit: true,
    colors: {
      ...colorsOf('#0f766e', '#ffffff'),
      'editorBracketHighlight.foreground2': '#1f7a1f',
    },
    rules: [
      { token: 'argument.identifier.gql', foreground: '#5b57c4' },
      { token: 'annotation', foreground: '#666666' },
    ],
  });
}
