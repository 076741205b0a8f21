import { defineConfig, type UserConfig } from 'vite';
import { addStudio, embedAssets } from './build/assets.ts';
import { bringTemporal } from './build/temporal.ts';
import { declareTypes } from './build/types.ts';

/** `npm run build`: everything that runs without the sources and without any package, in dist. */

const shared = {
  target: 'node22.19',
  minify: true,
  license: { fileName: 'licenses.md' },
  ssrEmitAssets: true,
} satisfies UserConfig['build'];

/** The gateway and all that it needs in one file, dist/main.js. */
const gateway: UserConfig = {
  plugins: [embedAssets(), bringTemporal(), addStudio()],
  ssr: { noExternal: true },
  build: {
    ...shared,
    ssr: 'src/main.ts',
    rollupOptions: { output: { codeSplitting: false } },
  },
};

/** Those of bin/marketgraph.cjs. */
const COMMANDS = ['client', 'spent', 'check-manifest', 'health'];
const PROGRAMS = ['index', 'main', ...COMMANDS.map((name) => `commands/${name}`)];

/** What else is in the npm package, in dist/lib: what it exports, and the commands of bin/marketgraph.cjs. */
const library: UserConfig = {
  plugins: [embedAssets(), bringTemporal(), declareTypes()],
  ssr: { noExternal: true },
  build: {
    ...shared,
    ssr: true,
    outDir: 'dist/lib',
    rollupOptions: {
      input: Object.fromEntries(PROGRAMS.map((name) => [name, `src/${name}.ts`])),
      output: { chunkFileNames: '[name].js' },
    },
  },
};

export default defineConfig(({ mode }) => (mode === 'library' ? library : gateway));
