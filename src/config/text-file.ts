import { readFile, stat } from 'node:fs/promises';

/** Reads a text file. Rejects if there is none, or if it is a pipe or a device: reading that might never end. */
export async function readTextFile(path: string): Promise<string> {
  if (!(await stat(path)).isFile()) throw new Error('not a regular file');
  return readFile(path, 'utf8');
}
