import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Installs the package that `npm pack` makes from the files that the container image is built from, in a folder
 * without the sources and without any other package.
 */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Environment without the variables of the test run, such as npm's own. */
export const ENV = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

const run = (program: string, args: readonly string[], cwd: string) =>
  execFileSync(program, args, { cwd, env: ENV, encoding: 'utf8', stdio: 'pipe' });

/** Folders that the caller removes in the end. `%41` in their names shows whether a path is taken for a URL. */
export interface Folders {
  sources: string;
  /** Where the package is installed. */
  folder: string;
}

export const makeFolders = (): Folders => ({
  sources: mkdtempSync(join(tmpdir(), 'package-%41-sources-')),
  folder: mkdtempSync(join(tmpdir(), 'package-%41-')),
});

export function install({ sources, folder }: Folders): void {
  copySources(sources);
  run('npm', ['pack', '--pack-destination', folder], sources);
  const [packed = ''] = readdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  // Offline: the package contains everything it needs.
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed}`], folder);
}

/** Copies the files that `docker build` would be given. */
function copySources(sources: string): void {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  const given = lines.flatMap((line) => /^!(.+)$/.exec(line)?.[1] ?? []);
  for (const name of given) cpSync(join(ROOT, name), join(sources, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
}
