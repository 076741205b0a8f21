import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { readAssets } from './src/graphiql/assets.ts';

/** The files that GraphiQL's page is made of go into the bundle: it reads none of the sources. */
function embedAssets(): Plugin {
  const module = fileURLToPath(new URL('src/graphiql/assets.ts', import.meta.url));
  const code = `export const readAssets = () => (${JSON.stringify(readAssets())});`;
  return { name: 'embed-assets', load: (id) => (id === module ? code : undefined) };
}

const GRAPHIQL = '@graphql-yoga/render-graphiql';

/** GraphiQL is six times as long as the server, and read when a browser comes: it stands beside it. */
function setGraphiQLAside(): Plugin {
  const source = (name: string) =>
    readFileSync(fileURLToPath(import.meta.resolve(`${GRAPHIQL}/${name}`)), 'utf8');
  return {
    name: 'set-graphiql-aside',
    enforce: 'pre',
    resolveId: (id) =>
      id === GRAPHIQL ? { id: './graphiql/index.js', external: true } : undefined,
    generateBundle() {
      for (const name of ['index', 'graphiql'])
        this.emitFile({ type: 'asset', fileName: `graphiql/${name}.js`, source: source(name) });
    },
  };
}

/** `npm run build`: the server and all that it needs in one file, dist/main.js. */
export default defineConfig({
  plugins: [embedAssets(), setGraphiQLAside()],
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    target: 'node26',
    minify: true,
    ssrEmitAssets: true,
    rollupOptions: { output: { codeSplitting: false } },
  },
});
