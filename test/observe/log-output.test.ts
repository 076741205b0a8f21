import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { pretty } from '../../src/observe/pretty.ts';

/** Lines of the log get out, whatever becomes of the process, and look like one line each. */

const MODULE = new URL('../../src/observe/log-output.ts', import.meta.url).href;

/** More than is written at a time, and less than fits between a process and its reader. */
const LINES = 1500;

function linesOf(ending: string): string[] {
  const script = `const { createLog } = await import(${JSON.stringify(MODULE)});
    const log = createLog('info');
    for (let i = 0; i < ${LINES}; i += 1) log.info({ i }, 'a line');
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
    Array.from({ length: LINES }, (_, i) => i),
  );
});

test('lines of operations are the same whoever writes them', () => {
  const log = new URL('../../src/observe/log.ts', import.meta.url).href;
  const script = `const { createOperationLog } = await import(${JSON.stringify(log)});
    const { createLog } = await import(${JSON.stringify(MODULE)});
    const { default: pino } = await import('pino');
    const common = { type: 'query', errors: [], joined: 0, served: [], startedAt: 0, endedAt: 1.234 };
    const ends = [
      { ...common, by: 'kept answer', name: 'A', client: 'a "b"', hits: 3 },
      { ...common, by: 'kept answer', name: 'A', client: 'a "b"', hits: 2, joined: 1 },
      { ...common, by: 'execution', hits: 0, operation: { used: { fx: 1, macro: 0, credits: 2 }, stale: 1 } },
      { ...common, by: 'refusal', type: undefined, name: 'B'.repeat(1000), hits: 0 },
    ];
    const others = pino({}, pino.destination({ dest: 2, sync: true }));
    for (const observe of [createLog('info'), others].map(createOperationLog)) {
      ends.forEach(observe.ended);
      observe.repeats(ends[0])(2, 3.5);
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  const linesIn = (text: string) =>
    text
      .replaceAll(/"time":\d+/g, '')
      .split('\n')
      .filter(Boolean);
  expect(linesIn(stdout)).toHaveLength(5);
  expect(linesIn(stdout)).toEqual(linesIn(stderr));
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
