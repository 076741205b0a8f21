import { readdirSync, readFileSync } from 'node:fs';

/**
 * The ready-made operations, as text by file name. `npm run build` calls this too, and puts what it returns in
 * the place of this module.
 */
export function readAssets(): Record<string, string> {
  const folder = new URL('../operations/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
  );
}
