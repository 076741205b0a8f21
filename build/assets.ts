import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

/** Files that are no code, for the bundles. */

/** Modules that read files beside them: what `readAssets` returns goes into the bundle in their place. */
const READS_ASSETS = /\/src\/[\w-]+\/assets\.ts$/;

export function embedAssets(): Plugin {
  return {
    name: 'embed-assets',
    async load(id) {
      if (!READS_ASSETS.test(id)) return undefined;
      const { readAssets } = (await import(pathToFileURL(id).href)) as { readAssets(): unknown };
      return `export const readAssets = () => (${JSON.stringify(readAssets())});`;
    },
  };
}

const STUDIO = fileURLToPath(new URL('../dist-studio/', import.meta.url));

/** What `npm run build:studio` has made stands beside the bundles, and is read when a browser comes. */
export function addStudio(): Plugin {
  return {
    name: 'add-studio',
    generateBundle() {
      for (const entry of readdirSync(STUDIO, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const file = join(entry.parentPath, entry.name);
        const name = relative(STUDIO, file).replaceAll(sep, '/');
        this.emitFile({ type: 'asset', fileName: `studio/${name}`, source: readFileSync(file) });
      }
    },
  };
}
