import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Builds the Studio before the tests if its sources are newer than the built page. */

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['src/studio', 'src/operations', 'vite.studio.config.ts', 'package-lock.json'];

const changedAt = (path: string) => statSync(path).mtimeMs;

function newest(source: string): number {
  const path = join(root, source);
  if (!statSync(path).isDirectory()) return changedAt(path);
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(...names.map((name) => changedAt(join(path, name))));
}

export default function setup(): void {
  const built = join(root, 'dist-studio/index.html');
  if (existsSync(built) && Math.max(...SOURCES.map(newest)) < changedAt(built)) return;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const options = ['build', '--config', 'vite.studio.config.ts', '--logLevel', 'error'];
  execFileSync(process.execPath, [vite, ...options], {
    cwd: root,
    // A production build, although Vitest sets NODE_ENV to test.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: 'inherit',
  });
}
