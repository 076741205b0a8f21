/** Sets up the editor's workers, which the gateway serves beside the page's other files. */
export function setUpWorkers(): void {
  Object.assign(globalThis, { MonacoEnvironment: { getWorker } });
}

/** The bundler finds a worker only if its address and type are written out like this. */
function getWorker(_id: string, label: string): Worker {
  if (label === 'json')
    return new Worker(new URL('./worker-json.ts', import.meta.url), { type: 'module' });
  if (label === 'graphql')
    return new Worker(new URL('./worker-graphql.ts', import.meta.url), { type: 'module' });
  return new Worker(new URL('./worker-editor.ts', import.meta.url), { type: 'module' });
}
