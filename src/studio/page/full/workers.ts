/** The workers of the editor: files of this gateway, beside the page's own. */
export function setUpWorkers(): void {
  Object.assign(globalThis, { MonacoEnvironment: { getWorker } });
}

/** The bundler has to see each address and type as it stands here. */
function getWorker(_id: string, label: string): Worker {
  if (label === 'json')
    return new Worker(new URL('./worker-json.ts', import.meta.url), { type: 'module' });
  if (label === 'graphql')
    return new Worker(new URL('./worker-graphql.ts', import.meta.url), { type: 'module' });
  return new Worker(new URL('./worker-editor.ts', import.meta.url), { type: 'module' });
}
