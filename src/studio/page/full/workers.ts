import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphQLWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

/** The workers of the editor: files of this gateway, beside the page's own. */
const WORKERS: Readonly<Record<string, new () => Worker>> = {
  json: JsonWorker,
  graphql: GraphQLWorker,
};

export function setUpWorkers(): void {
  Object.assign(globalThis, {
    MonacoEnvironment: {
      getWorker: (_id: string, label: string) => new (WORKERS[label] ?? EditorWorker)(),
    },
  });
}
