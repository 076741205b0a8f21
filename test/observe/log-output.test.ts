import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { pretty } from '../../src/observe/pretty.ts';

/** Log lines are written, whatever happens to the process, and each looks like one line. */

const hrefOf = (name: string) => new URL(`../../src/observe/${name}`, import.meta.url).href;
const MODULE = hrefOf('log-output.ts');
const OPERATIONS = `
  const { createOperationLog } = await import(${JSON.stringify(hrefOf('log.ts'))});
  const { createBatch, inBatches } = await import(${JSON.stringify(hrefOf('batch.ts'))});
  const common = { type: 'query', errors: [], joined: 0, served: [], startedAt: 0, endedAt: 1.234, at: 1 };
  const kept = { ...common, by: 'kept answer', name: 'A', client: 'a "b"', hits: 3 };`;

/** More than is written at a time, and less than fits into the pipe between a process and its reader. */
const LINES = 1500;

const NUMBERED = `for (let i = 0; i < ${LINES}; i += 1) log.info({ i }, 'a line');`;

function linesOf(task: string): string[] {
  const script = `const { createLog } = await import(${JSON.stringify(MODULE)});
    const log = createLog('info');
    ${task}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  return stdout.split('\n').filter(Boolean);
}

const ENDINGS = [
  ['ends by itself', ''],
  ['is told to exit', 'process.exit(1);'],
  ['fails', "throw new Error('unforeseen');"],
  ['fails in a timer', "setTimeout(() => { throw new Error('unforeseen'); }, 1);"],
] as const;

test.each(ENDINGS)('all lines are written when the process %s', (_case, ending) => {
  const lines = linesOf(NUMBERED + ending);
  expect(lines.map((line) => JSON.parse(line).i)).toEqual(
    Array.from({ length: LINES }, (_, i) => i),
  );
});

test.each(ENDINGS)('the lines of kept answers are written when the process %s', (_case, ending) => {
  const lines = linesOf(`${OPERATIONS}
    const observer = inBatches([createOperationLog(log)], createBatch(Date.now));
    const observe = observer.repeats(kept);
    for (let i = 0; i < ${LINES}; i += 1) observe(performance.now());
    ${ending}`);
  expect(lines).toHaveLength(LINES);
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ by: 'kept answer', name: 'A', hits: 3 });
});

test('the last lines are written if a last task runs before the process ends by itself', () => {
  // By then the log has written all it had, and takes nothing more.
  const lines = linesOf(`${OPERATIONS}
    process.once('beforeExit', () => setTimeout(() => undefined, 20));
    const observer = inBatches([createOperationLog(log)], createBatch(Date.now));
    log.info('first');
    observer.repeats(kept)(performance.now());`);
  expect(lines).toHaveLength(2);
});

test('lines of operations are the same whichever log writes them', () => {
  const script = `${OPERATIONS}
    const { createLog } = await import(${JSON.stringify(MODULE)});
    const { default: pino } = await import('pino');
    const ends = [
      kept,
      { ...kept, hits: 2, joined: 1 },
      { ...common, by: 'execution', hits: 0, operation: { used: { fx: 1, macro: 0, credits: 2 }, stale: 1 } },
      { ...common, by: 'refusal', type: undefined, name: 'B'.repeat(1000), hits: 0 },
    ];
    const others = pino({}, pino.destination({ dest: 2, sync: true }));
    for (const observe of [createLog('info'), others].map(createOperationLog)) {
      ends.forEach(observe.ended);
      observe.repeats(kept)({ startedAt: 2, endedAt: 3.5, at: 1 });
      observe.repeats(kept)({ startedAt: 2, endedAt: 9.5, at: 1 });
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  const linesIn = (text: string) =>
    text
      .replaceAll(/"time":\d+/g, '')
      .split('\n')
      .filter(Boolean);
  expect(linesIn(stdout)).toHaveLength(6);
  expect(linesIn(stdout)).toEqual(linesIn(stderr));
});

test('in a terminal no foreign text begins a line or moves the cursor', () => {
  const odd = 'a\n\u0007b\u0085c\rd';
  const line = JSON.stringify({ level: 30, time: 0, msg: `msg ${odd}`, name: odd, ms: 1.5 });
  const text = stripVTControlCharacters(pretty(line));
  expect(text.trimEnd()).not.toMatch(/\p{Cc}/u);
  expect(text).toContain('ms=1.5');
  const failed = { level: 50, time: 0, msg: 'x', err: { stack: 'Error: y\n    at z' } };
  expect(pretty(JSON.stringify(failed)).split('\n')).toHaveLength(4);
});

const WORKER = `
  const { createWorkerLog } = await import(${JSON.stringify(MODULE)});
  const log = createWorkerLog('info', 1, false);
  process.once('message', () => {
    for (const line of ['one that is being written', 'and one that waits']) log.info(line);
    process.disconnect();
    process.exit(0);
  });
  process.send('ready');`;

test('a worker ends, whatever it still has to log, if nobody takes its lines any more', async () => {
  const args = ['--input-type=module', '--eval', WORKER];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  child.stdout?.destroy();
  child.send('go');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
