import { defineConfig } from 'vite';
import { addStudio, embedAssets } from './build/assets.ts';
import { bringTemporal } from './build/temporal.ts';
import { declareTypes } from './build/types.ts';

/** `npm run build`: bundles into dist all that is needed to run without the sources and without any package. */

/** The commands of bin/marketgraph.cjs. */
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
      // Separate files: src/main.ts turns on Node's compile cache, which covers only what is loaded afterwards.
      output: { chunkFileNames: 'chunks/[name].js' },
    },
  },
});
