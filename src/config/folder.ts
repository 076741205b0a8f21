import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents, one by one: Node's own `recursive` option never returns if the file system
 * does not allow folders to be created, as /proc does not. Throws the file system's error.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}
