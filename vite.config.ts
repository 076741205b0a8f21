import { defineConfig } from 'vite';
import { addStudio, embedAssets } from './build/assets.ts';
import { bringTemporal } from './build/temporal.ts';
import { declareTypes } from './build/types.ts';

/** `npm run build`: everything that runs without the sources and without any package, in dist. */

/** Those of bin/marketgraph.cjs. */
const COMMANDS = ['client', 'spent', 'check-manifest', 'health'];
const PROGRAMS = ['index', 'main', ...COMMANDS.map((name) => `commands/${name}`)];

export default defineConfig({
  plugins: [embedAssets(), bringTemporal(), addStudio(), declareTypes()],
  ssr: { noExternal: true },
  build: {
    target: 'node22.19',
    minify: true,
    license: { fileName: 'licenses.md' },
    ssrEmitAssets: true,
    ssr: true,
    rollupOptions: {
      input: Object.fromEntries(PROGRAMS.map((name) => [name, `src/${name}.ts`])),
      // In files of their own: src/main.ts turns Node's cache of compiled code on, which holds what is loaded after that.
      output: { chunkFileNames: 'chunks/[name].js' },
    },
  },
});
