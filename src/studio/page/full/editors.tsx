import {
  GraphiQLProvider,
  HeaderEditor,
  QueryEditor,
  useGraphiQL,
  useGraphiQLActions,
  useMonaco,
  VariableEditor,
} from '@graphiql/react';
import { DOC_EXPLORER_PLUGIN, DocExplorer, DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { type ReactNode, useEffect } from 'react';
import { createPortal } from 'react-dom';
import { byId } from '../dom.ts';
import type { EditorEvents, EditorText, PARTS } from '../editor.ts';
import { configure, type MonacoEditors } from './monaco.ts';
import { useSchema } from './schema.ts';
import { defineThemes, THEMES } from './themes.ts';

interface EditorsProps {
  places: Readonly<Record<(typeof PARTS)[number] | 'docs', HTMLElement>>;
  initial: EditorText;
  events: EditorEvents;
  introspect: (query: string) => Promise<unknown>;
  onReady: (editors: MonacoEditors) => void;
}

/** GraphiQL itself runs nothing: the page does. */
const fetcher = () => Promise.resolve({});

/** Stores nothing: the page itself remembers what is typed. */
const forgetful = {
  length: 0,
  getItem: () => null,
  setItem() {},
  removeItem() {},
  clear() {},
};

/** Tab moves to an editor's frame, since inside it inserts spaces; the description says how to get in and out. */
const frameOf = (name: string) => ({
  role: 'group',
  'aria-label': `${name} editor`,
  'aria-description': 'Press Enter to edit, Ctrl+M and then Tab to leave.',
});

/** GraphiQL's editors, each in its place on the page. */
export function Editors({ places, initial, events, introspect, onReady }: EditorsProps): ReactNode {
  const schema = useSchema(introspect);
  return (
    <GraphiQLProvider
      fetcher={fetcher}
      schema={schema}
      storage={forgetful}
      initialQuery={initial.query}
      initialVariables={initial.variables}
      initialHeaders={initial.headers}
      plugins={[DOC_EXPLORER_PLUGIN]}
      referencePlugin={DOC_EXPLORER_PLUGIN}
      editorTheme={THEMES}
      onTogglePluginVisibility={openDocs}
    >
      {createPortal(<QueryEditor {...frameOf('Query')} onEdit={events.onEdit} />, places.query)}
      {createPortal(
        <VariableEditor {...frameOf('Variables')} onEdit={events.onEdit} />,
        places.variables,
      )}
      {createPortal(
        <HeaderEditor {...frameOf('Headers')} onEdit={events.onEdit} />,
        places.headers,
      )}
      {createPortal(
        <div className="graphiql-container">
          <DocExplorerStore>
            <DocExplorer />
          </DocExplorerStore>
        </div>,
        places.docs,
      )}
      <Wiring onRun={events.onRun} onReady={onReady} />
    </GraphiQLProvider>
  );
}

/** Shows the documentation when somebody follows a name in the query to it. */
function openDocs(plugin: unknown): void {
  if (plugin && byId('docs').hidden) byId('docs-button').click();
}

/** Connects GraphiQL with the page, in both directions. */
function Wiring({
  onRun,
  onReady,
}: Pick<EditorsProps, 'onReady'> & { onRun: () => void }): ReactNode {
  const { query, variables, headers } = useGraphiQL((state) => ({
    query: state.queryEditor,
    variables: state.variableEditor,
    headers: state.headerEditor,
  }));
  const { prettifyEditors, setTheme } = useGraphiQLActions();
  const monaco = useMonaco((state) => state.monaco);

  useEffect(() => {
    if (!query || !variables || !headers) return;
    configure(query, 'Query', onRun);
    configure(variables, 'Variables, as JSON', onRun);
    configure(headers, 'Headers, as JSON', onRun);
    onReady({ query, variables, headers });
  }, [query, variables, headers, onRun, onReady]);

  useEffect(() => {
    const prettify = byId('prettify');
    const tidy = () => void prettifyEditors();
    prettify.hidden = false;
    prettify.addEventListener('click', tidy);
    return () => prettify.removeEventListener('click', tidy);
  }, [prettifyEditors]);

  useEffect(() => {
    if (!monaco) return undefined;
    defineThemes(monaco);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => setTheme(dark.matches ? 'dark' : 'light');
    follow();
    dark.addEventListener('change', follow);
    return () => dark.removeEventListener('change', follow);
  }, [monaco, setTheme]);

  return null;
}
