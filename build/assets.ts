import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Files that are no code, for the bundles. */

/** Modules that read files beside them: what `readAssets` returns goes into the bundle in their place. */
const READS_ASSETS = /\/src\/[\w-]+\/assets\.ts$/;

export function embedAssets(): Plugin {
  return {
    name: 'embed-assets',
    async load(id) {
      if (!READS_ASSETS.test(id)) return undefined;
      const { readAssets } = (await import(id)) as { readAssets(): unknown };
      return `export const readAssets = () => (${JSON.stringify(readAssets())});`;
    },
  };
}

const GRAPHIQL = '@graphql-yoga/render-graphiql';

/**
 * GraphiQL is four times as long as the server, and read when a browser comes: it stands beside it, in
 * `folder`, which is named as the bundle's files see it.
 */
export function setGraphiQLAside(folder: string): Plugin {
  const source = (name: string) =>
    readFileSync(fileURLToPath(import.meta.resolve(`${GRAPHIQL}/${name}`)), 'utf8');
  return {
    name: 'set-graphiql-aside',
    enforce: 'pre',
    resolveId: (id) => (id === GRAPHIQL ? { id: `${folder}/index.js`, external: true } : undefined),
    generateBundle() {
      if (!folder.startsWith('./')) return;
      for (const name of ['index', 'graphiql'])
        this.emitFile({ type: 'asset', fileName: `graphiql/${name}.js`, source: source(name) });
    },
  };
}
