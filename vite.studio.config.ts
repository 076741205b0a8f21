import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { readAssets } from './src/studio/assets.ts';
import { readyMadeOf } from './src/studio/ready-made.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const ASSETS = 'graphql/studio';

/** The highest quality takes ten times as long, and saves a tenth. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Files beside which a compressed one is put, so that the gateway need not compress them. */
function compress(): Plugin {
  return {
    name: 'compress',
    writeBundle({ dir = '' }) {
      for (const name of readdirSync(`${dir}/${ASSETS}`).filter((each) =>
        /\.(js|css)$/.test(each),
      )) {
        const file = `${dir}/${ASSETS}/${name}`;
        writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), BROTLI));
      }
    },
  };
}

/** `npm run build:studio`: the page at the endpoint, and what it loads. */
export default defineConfig({
  root: path('src/studio/page'),
  // Below whatever path a proxy puts in front of the endpoint.
  base: './',
  plugins: [compress()],
  define: { READY_MADE: JSON.stringify(readyMadeOf(readAssets())) },
  resolve: {
    alias: {
      'monaco-editor/esm/vs/editor/edcore.main.js': path('src/studio/page/full/monaco-features.ts'),
    },
  },
  worker: { format: 'es' },
  build: {
    outDir: path('dist-studio'),
    emptyOutDir: true,
    assetsDir: ASSETS,
    // The policy of the page allows no files that are written into others.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2024',
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: {
      onwarn(warning, warn) {
        // Of packages that are made for servers, too.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
});
