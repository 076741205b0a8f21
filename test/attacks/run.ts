import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * The command line of the attacks: `npm run test:attacks -- [--write] [vitest's own arguments]`. With
 * `--write` the table of figures also goes to results.md. `-t <name>` runs single attacks.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

const given = process.argv.slice(2);
const script = [VITEST, 'run', '--config', 'test/attacks/vitest.config.ts'];
const { status } = spawnSync(
  process.execPath,
  [...script, ...given.filter((argument) => argument !== '--write')],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ATTACKS_WRITE: given.includes('--write') ? '1' : '' },
  },
);
process.exitCode = status ?? 1;
