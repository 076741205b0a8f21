import { readFile, stat } from 'node:fs/promises';

/** The text of a file. Rejects where there is none, or a pipe or a device: to read that might never end. */
export async function readTextFile(path: string): Promise<string> {
  if (!(await stat(path)).isFile()) throw new Error('it is no file');
  return readFile(path, 'utf8');
}
