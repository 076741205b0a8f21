import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readClients } from '../../src/clients/file.ts';
import { containsKey } from '../../src/clients/key-shape.ts';
import { digestOf } from '../../src/clients/keys.ts';
import { ONE, openFolder } from './command.ts';
import { hex, written } from './digests.ts';

const clientsIn = (path: string) => readClients(readFileSync(path, 'utf8')).clients;
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('add prints a new key, and writes only its digest to the file', async () => {
  const { folder, path, run } = openFolder();
  const { code, out, err } = await run('add', 'mobile-app', '--budget', 'CREDITS:DAY:500');
  expect(code).toBe(0);
  const key = out.trimEnd();
  expect(containsKey(key)).toBe(true);
  expect(out).toBe(`${key}\n`);
  expect(err).toContain(path);
  expect(err).not.toContain(key);
  expect(readdirSync(folder)).toEqual(['clients.json']);
  expect(modeOf(path)).toBe(0o600);
  const text = readFileSync(path, 'utf8');
  expect(text).not.toContain(key.slice('mg_'.length));
  expect(JSON.parse(text)).toEqual({
    clients: [
      {
        name: 'mobile-app',
        keys: [`sha256:${digestOf(key)}`],
        budgets: [{ meter: 'CREDITS', window: 'DAY', limit: 500 }],
      },
    ],
  });
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
});

test('rotate adds a key and drops the oldest of two; --finish leaves the newest', async () => {
  const { path, run } = openFolder();
  const digests: string[] = [];
  const warnings: string[] = [];
  for (const command of ['add', 'rotate', 'rotate']) {
    const { out, err } = await run(command, 'app');
    digests.push(digestOf(out.trimEnd()));
    warnings.push(err);
  }
  const ends = `this ends a key of client app: ${digests[0]?.slice(0, 8)}\n`;
  expect(warnings.map((text) => text.includes(ends))).toEqual([false, false, true]);
  expect(clientsIn(path)[0]?.keys).toEqual(digests.slice(1));
  const listed = await run('list');
  expect(listed.out).toBe(
    `app  2 keys: ${digests[1]?.slice(0, 8)} ${digests[2]?.slice(0, 8)}, priority NORMAL\n`,
  );
  expect(await run('rotate', 'app', '--finish')).toMatchObject({ code: 0, out: '' });
  expect(clientsIn(path)[0]?.keys).toEqual(digests.slice(2));
});

test('list shows limits and no complete digest, and changes nothing', async () => {
  const { path, runWith } = openFolder();
  const clients = [
    {
      name: 'app',
      keys: [`sha256:${'A'.repeat(64)}`],
      persistedOnly: true,
      maxUnitsPerOperation: 5,
      budgets: [{ meter: 'FX', window: 'MONTH', limit: 9 }],
      operationsPerMinute: 600,
      origins: ['https://a.example', '*'],
      priority: 'LOW',
    },
    { name: 'b', keys: [written(1)], origins: [] },
  ];
  const text = JSON.stringify({ clients });
  writeFileSync(path, text);
  expect(await runWith(path, ['list'])).toEqual({
    code: 0,
    out: `app  1 key: aaaaaaaa, persisted only, 5 units per operation, FX:MONTH:9, \
600 operations per minute, origins: https://a.example *, priority LOW
b  1 key: 00000000, origins: none, priority NORMAL
`,
    err: `${path}: 2 clients\n`,
  });
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('remove takes one client out, and the last one, too', async () => {
  const { path, run } = openFolder();
  writeFileSync(path, ONE);
  await run('add', 'other');
  expect(await run('remove', 'app')).toMatchObject({ code: 0, out: '' });
  expect(clientsIn(path).map(({ name }) => name)).toEqual(['other']);
  expect((await run('remove', 'other')).code).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe('{\n  "clients": []\n}\n');
});

test('if a link leads to no file yet, the file is created there', async () => {
  const { folder, path, run } = openFolder();
  mkdirSync(join(folder, 'real'));
  symlinkSync('real/c.json', path);
  expect((await run('add', 'app')).code).toBe(0);
  expect(clientsIn(join(folder, 'real/c.json')).map(({ name }) => name)).toEqual(['app']);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
});

test('the mode of a file is kept, and the target of a link is edited', async () => {
  const { folder, path, runWith } = openFolder();
  mkdirSync(join(folder, 'real'));
  writeFileSync(join(folder, 'real/c.json'), ONE);
  chmodSync(join(folder, 'real/c.json'), 0o664);
  symlinkSync('real/c.json', path);
  expect((await runWith(path, ['rotate', 'app'])).code).toBe(0);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(clientsIn(join(folder, 'real/c.json'))[0]?.keys[0]).toBe(hex(1));
  expect(modeOf(path)).toBe(0o664);
  expect(readdirSync(join(folder, 'real'))).toEqual(['c.json']);
});

test('each of several simultaneous commands has taken effect or has failed', async () => {
  const { path, run } = openFolder();
  const runs = await Promise.all([1, 2, 3, 4].map((n) => run('add', `app-${n}`)));
  const printed = runs.filter(({ code }) => code === 0).map(({ out }) => digestOf(out.trimEnd()));
  expect(printed.length).toBeGreaterThan(0);
  expect(
    clientsIn(path)
      .flatMap(({ keys }) => keys)
      .toSorted(),
  ).toEqual(printed.toSorted());
  const failed = runs.filter(({ code }) => code !== 0);
  expect(failed.every(({ out, err }) => out === '' && err.includes('another command'))).toBe(true);
});

test('a file with a byte order mark in front is edited like any other', async () => {
  const { path, run } = openFolder();
  writeFileSync(path, `\uFEFF${ONE}`);
  expect(await run('add', 'web')).toMatchObject({ code: 0 });
  expect(clientsIn(path).map(({ name }) => name)).toEqual(['app', 'web']);
});

test('--help prints the usage', async () => {
  const { path, run } = openFolder();
  const { code, out, err } = await run('--help');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  for (const word of ['add', 'rotate', 'remove', 'list', '--budget', '--finish', path])
    expect(out).toContain(word);
});

test('a key that was pasted instead of a name is not repeated', async () => {
  const { run } = openFolder();
  const { out } = await run('add', 'mobile-app');
  for (const args of [['rotate'], ['remove'], ['list']]) {
    const { code, err } = await run(...args, out.trimEnd());
    expect(code).not.toBe(0);
    expect(err).not.toBe('');
    expect(containsKey(err)).toBe(false);
  }
});
