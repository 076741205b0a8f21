import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { pretty } from '../../src/observe/pretty.ts';

/** Lines of the log get out, whatever becomes of the process, and look like one line each. */

const MODULE = new URL('../../src/observe/log-output.ts', import.meta.url).href;

function linesOf(ending: string): string[] {
  const script = `const { createLog } = await import(${JSON.stringify(MODULE)});
    const log = createLog('info');
    for (let i = 0; i < 3000; i += 1) log.info({ i }, 'a line');
    ${ending}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  return stdout.split('\n').filter(Boolean);
}

test.each([
  ['ends by itself', ''],
  ['is told to exit', 'process.exit(1);'],
  ['fails', "throw new Error('unforeseen');"],
  ['fails where nobody waits', "setTimeout(() => { throw new Error('unforeseen'); }, 1);"],
])('all lines are written when the process %s', (_case, ending) => {
  const lines = linesOf(ending);
  expect(lines.map((line) => JSON.parse(line).i)).toEqual(
    Array.from({ length: 3000 }, (_, i) => i),
  );
});

test('in a terminal no text of others begins a line or moves the cursor', () => {
  const odd = 'a\n\u0007b\u0085c\rd';
  const line = JSON.stringify({ level: 30, time: 0, msg: `msg ${odd}`, name: odd, ms: 1.5 });
  const text = stripVTControlCharacters(pretty(line));
  expect(text.trimEnd()).not.toMatch(/\p{Cc}/u);
  expect(text).toContain('ms=1.5');
  const failed = { level: 50, time: 0, msg: 'x', err: { stack: 'Error: y\n    at z' } };
  expect(pretty(JSON.stringify(failed)).split('\n')).toHaveLength(4);
});
