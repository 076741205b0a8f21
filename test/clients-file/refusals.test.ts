import { readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ONE, openFolder } from './command.ts';

/** Each with its exit code: 2 if the arguments are invalid whatever the file contains. */
const REFUSED: [number, string[]][] = [
  [1, ['add', 'app']],
  [1, ['rotate', 'nobody']],
  [1, ['remove', 'nobody']],
  [2, []],
  [2, ['constructor', 'app']],
  [2, ['add']],
  [2, ['add', 'x', 'y']],
  [2, ['add', 'two\nlines']],
  [2, ['add', 'x', '--budgets', 'FX:DAY:1']],
  [2, ['remove', 'app', '--finish']],
  [2, ['add', 'x', '--operations-per-minute', '0']],
  [2, ['add', 'x', '--budget', 'EUR:DAY:1']],
];

/** Runs a command on a file with one client. */
async function attempt(args: string[]) {
  const { folder, path, run } = openFolder();
  writeFileSync(path, ONE);
  const { ino } = statSync(path);
  const { code, out, err } = await run(...args);
  const isUntouched = readFileSync(path, 'utf8') === ONE && statSync(path).ino === ino;
  const isOneLine = /^client: [^\n]+\n$/.test(err);
  return { args, code, out, isOneLine, isUntouched, files: readdirSync(folder) };
}

test('a command that cannot be carried out prints one line, and changes nothing', async () => {
  const refused = { out: '', isOneLine: true, isUntouched: true, files: ['clients.json'] };
  expect(await Promise.all(REFUSED.map(([, args]) => attempt(args)))).toEqual(
    REFUSED.map(([code, args]) => ({ args, code, ...refused })),
  );
});

test('a broken file is named, and left as it is', async () => {
  const { folder, path, run } = openFolder();
  const text = ONE.replace('"keys"', '"perssisted": true, "keys"');
  writeFileSync(path, text);
  for (const args of [['add', 'x'], ['list']]) {
    const err = `client: ${path}: clients[0] (app): perssisted: is not a known field\n`;
    expect(await run(...args)).toEqual({ code: 1, out: '', err });
  }
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(readdirSync(folder)).toEqual(['clients.json']);
});

test('only add creates a file, but not in a missing folder', async () => {
  const { folder, run, runWith } = openFolder();
  for (const args of [['list'], ['rotate', 'app']])
    expect(await run(...args)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no such file'),
    });
  const path = join(realpathSync(folder), 'none');
  const err = `client: ${join(path, 'c.json')}: there is no folder ${path}\n`;
  expect(await runWith('none/c.json', ['add', 'app'])).toEqual({ code: 1, out: '', err });
  expect(readdirSync(folder)).toEqual([]);
});

test('after a command was killed, the next one says what to remove', async () => {
  const { path, run } = openFolder();
  writeFileSync(path, ONE);
  writeFileSync(`${path}.new`, '');
  const { code, out, err } = await run('rotate', 'app');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(`remove ${path}.new`);
  expect(readFileSync(path, 'utf8')).toBe(ONE);
});
