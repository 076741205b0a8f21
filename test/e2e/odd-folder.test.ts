import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import { ENV, ROOT } from './installed.ts';

/** Folders may have any name, even one in which Vite cannot build. */

test.each(['#', '?'])('in a path with %s, npm ci leaves the Studio out and says so', (sign) => {
  const folder = join(temporaryFolder(), `a${sign}b`);
  mkdirSync(folder);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of ['package.json', 'prepare.ts', 'vite.studio.config.ts'])
    copyFileSync(join(ROOT, name), join(folder, name));
  const output = execFileSync(process.execPath, ['prepare.ts'], {
    cwd: folder,
    env: ENV,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(output).toMatch(/^The Studio is not built: .+\n$/);
});
