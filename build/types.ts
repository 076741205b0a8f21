import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Our own files that a declaration names, without their ending. */
const RELATIVE = /(['"])(\.{1,2}\/[^'"]+)\.ts\1/g;

/** What build/tsconfig.json is about. */
const ENTRY = 'embed';
/** The declarations of src/index.ts, which cannot be compiled without the rest of the gateway. */
const INDEX = `export * from './${ENTRY}.js';
export declare const createApp: import('./${ENTRY}.js').CreateApp;
`;

/** The declarations of what the package exports, and of what they name, beside the bundle. */
export function declareTypes(): Plugin {
  return {
    name: 'declare-types',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'index.d.ts', source: INDEX });
      const folder = mkdtempSync(join(tmpdir(), 'types-'));
      try {
        compile(folder);
        for (const [file, text] of declarationsOf(folder))
          this.emitFile({ type: 'asset', fileName: `${file}.d.ts`, source: text });
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
}

function compile(folder: string): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'build'), '--outDir', folder]);
}

/** By path without its ending. */
function declarationsOf(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const wanted = [ENTRY];
  for (const file of wanted) {
    if (found.has(file)) continue;
    const text = readFileSync(join(folder, `${file}.d.ts`), 'utf8');
    found.set(file, text.replaceAll(RELATIVE, '$1$2.js$1'));
    for (const [, , target = ''] of text.matchAll(RELATIVE))
      wanted.push(normalize(join(dirname(file), target)));
  }
  return found;
}
