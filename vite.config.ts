import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { readOperations } from './src/studio/operations.ts';

/** The ready-made operations go into the bundle: it reads none of the sources. */
function embedOperations(): Plugin {
  const module = fileURLToPath(new URL('src/studio/operations.ts', import.meta.url));
  const code = `export const readOperations = () => (${JSON.stringify(readOperations())});`;
  return { name: 'embed-operations', load: (id) => (id === module ? code : undefined) };
}

/** What `npm run build:studio` has made stands beside the bundle, and is read when a browser comes. */
function addStudio(): Plugin {
  const folder = fileURLToPath(new URL('dist-studio/', import.meta.url));
  return {
    name: 'add-studio',
    generateBundle() {
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      for (const entry of entries.filter((each) => each.isFile())) {
        const file = `${entry.parentPath}/${entry.name}`;
        const fileName = `studio/${file.slice(folder.length).replaceAll('\\', '/').replace(/^\//, '')}`;
        this.emitFile({ type: 'asset', fileName, source: readFileSync(file) });
      }
    },
  };
}

/** `npm run build`: the server and all that it needs in one file, dist/main.js. */
export default defineConfig({
  plugins: [embedOperations(), addStudio()],
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    target: 'node26',
    minify: true,
    ssrEmitAssets: true,
    rollupOptions: { output: { codeSplitting: false } },
  },
});
