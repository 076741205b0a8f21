import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** `npm run spent`, as it is called. */

const MAIN = join(import.meta.dirname, '../../src/commands/spent.ts');

test.each([
  ['a day that does not exist', ['2026-11-31']],
  ['a last day that does not exist', ['2026-02-01', '2026-02-30']],
  ['what is no day', ['yesterday']],
  ['more than two days', ['2026-11-01', '2026-11-02', '2026-11-03']],
])('%s is refused, and told how it is used', (_name, days) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...days], {
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^usage: /)]);
});
