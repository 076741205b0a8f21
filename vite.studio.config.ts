import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { readAssets } from './src/studio/assets.ts';
import { readyMadeOf } from './src/studio/ready-made.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const ASSETS = 'graphql/studio';

/** The highest quality would take ten times as long, and save only a tenth. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Writes a compressed copy beside each script and style sheet, so that the gateway need not compress them. */
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

/** `npm run build:studio`: builds the page at the endpoint, and what it loads. */
export default defineConfig({
  root: path('src/studio/page'),
  // Relative, so that the page works below any path that a proxy puts in front of the endpoint.
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
    // The page's content security policy allows no inlined files but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2024',
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: {
      onwarn(warning, warn) {
        // This warning is about directives in packages that are made for servers, too.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
});
