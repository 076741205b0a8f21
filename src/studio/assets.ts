import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the text of the ready-made operations by file name. `npm run build` calls this too, and replaces this
 * module with one that returns the result.
 */
export function readAssets(): Record<string, string> {
  const folder = new URL('../operations/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
  );
}
