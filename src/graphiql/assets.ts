import { readdirSync, readFileSync } from 'node:fs';

/** The files that the GraphiQL page is made of, as text. */
export interface Assets {
  /** Ready-made operations, by file name. */
  operations: Record<string, string>;
  barScript: string;
  pageStyle: string;
}

/** `npm run build` calls this too, and puts what it returns in the place of this module. */
export function readAssets(): Assets {
  const folder = new URL('../operations/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  return {
    operations: Object.fromEntries(names.map((name) => [name, read(new URL(name, folder))])),
    barScript: read(new URL('bar.js', import.meta.url)),
    pageStyle: read(new URL('page.css', import.meta.url)),
  };
}

const read = (file: URL) => readFileSync(file, 'utf8');
