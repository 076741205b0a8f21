import { renameSync, rmSync, truncateSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { keptListIn } from '../../src/documents/kept-list.ts';
import { openManifests } from '../../src/documents/manifests.ts';
import { temporaryFolder } from '../harness.ts';
import { makePipe } from '../pipe.ts';
import { MODES, open, write } from './gateway.ts';

const POLL_MS = 10;
const DAY_MS = 86_400_000;
const A = 'query A { __typename }';
const B = 'query B { __typename }';
const EMPTY_LIST = keptListIn([], undefined, Date.now);

async function start(content: object | string, name = 'm.json', retireMs = DAY_MS) {
  const folder = temporaryFolder();
  const path = write(folder, name, content);
  const lines: string[] = [];
  let at = Date.parse('2026-11-20T09:00:00Z');
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const options = {
    schema,
    log,
    monotonic: () => at,
    everyMs: POLL_MS,
    retireMs,
    kept: EMPTY_LIST,
  };
  const paths = [name.endsWith('.graphql') ? folder : path];
  const documents = await openManifests({ paths, ...options });
  onTestFinished(documents.close);
  return {
    folder,
    path,
    close: documents.close,
    versionCheck: documents.versionCheck,
    text: (id: string) => documents.find(id)?.body,
    replace: (next: object | string) => write(folder, name, next),
    log: () => lines.join(''),
    advance: (ms: number) => void (at += ms),
  };
}

async function logged(log: () => string, part: string): Promise<void> {
  await expect.poll(log).toContain(part);
}

test.each(MODES)('$mode a changed file is taken up without a restart', async ({ env }) => {
  const folder = temporaryFolder();
  const path = write(folder, 'm.json', { a: '{ before: __typename }' });
  const { get } = await open({ paths: [path], env });
  expect(await get('/graphql/b')).toMatchObject({ code: 'PERSISTED_QUERY_NOT_IN_LIST' });
  // Twice, so that the second answer is a kept one.
  for (let n = 0; n < 2; n += 1)
    expect(await get('/graphql/a')).toMatchObject({ data: { before: 'Query' } });
  write(folder, 'm.json', { a: '{ after: __typename }', b: B });
  await expect.poll(() => get('/graphql/b'), { interval: 50 }).toMatchObject({ errors: [] });
  expect(await get('/graphql/a')).toMatchObject({ data: { after: 'Query' } });
});

test('an id whose text changed has its new text', async () => {
  const { text, replace } = await start({ a: A });
  replace({ a: B });
  await expect.poll(() => text('a')).toBe(B);
});

test('a file that is replaced by renaming another, or in a folder, is taken up as well', async () => {
  const { text, folder, path } = await start({ a: A });
  renameSync(write(folder, 'next.json', { b: B }), path);
  await expect.poll(() => text('b')).toBe(B);
  const documents = await start(A, 'a.graphql');
  write(documents.folder, 'b.graphql', B);
  await logged(documents.log, 'reloaded');
});

test.each([
  ['broken', '{"b": "query'],
  ['empty', ''],
  ['unfit for the schema', { b: 'query Wrong { nothingOfTheKind }' }],
])('a file that is %s changes nothing and is logged once', async (_what, content) => {
  const { text, path, log, replace } = await start({ a: A });
  replace(content);
  await logged(log, `PERSISTED_DOCUMENTS: not reloaded: ${path}`);
  expect(text('a')).toBe(A);
  expect(text('b')).toBeUndefined();
  // Time for some more checks.
  await setTimeout(5 * POLL_MS);
  replace({ b: B });
  await expect.poll(() => text('b')).toBe(B);
  expect(log().split('not reloaded')).toHaveLength(2);
});

test('a pipe in the place of the file changes nothing until the file is there again', async () => {
  const { text, path, log, replace } = await start({ a: A });
  rmSync(path);
  makePipe(path);
  await logged(log, 'not a regular file');
  expect(text('a')).toBe(A);
  rmSync(path);
  replace({ a: A, b: B });
  await expect.poll(() => text('b')).toBe(B);
});

test('a file that is gone, or cut off, changes nothing until it is whole again', async () => {
  const { text, path, log, replace } = await start({ a: A });
  truncateSync(path, 5);
  await logged(log, 'is not JSON');
  rmSync(path);
  await logged(log, 'ENOENT');
  expect(text('a')).toBe(A);
  replace({ a: A, b: B });
  await expect.poll(() => text('b')).toBe(B);
});

test('all files or none: one that is broken holds back the others', async () => {
  const folder = temporaryFolder();
  const paths = [write(folder, 'a.json', { a: A }), write(folder, 'b.json', {})];
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const documents = await openManifests({
    paths,
    schema,
    log,
    monotonic: Date.now,
    everyMs: POLL_MS,
    retireMs: DAY_MS,
    kept: EMPTY_LIST,
  });
  onTestFinished(documents.close);
  write(folder, 'a.json', { a: B });
  write(folder, 'b.json', '{');
  await logged(() => lines.join(''), 'not reloaded');
  expect(documents.find('a')?.body).toBe(A);
  write(folder, 'b.json', { b: B });
  await expect.poll(() => documents.find('b')?.body).toBe(B);
  expect(documents.find('a')?.body).toBe(B);
});

test('ids that vanished are served for a day more', async () => {
  const { text, replace, advance, versionCheck } = await start({ 'sha256:AA': A });
  replace({ b: B });
  await expect.poll(() => text('b')).toBe(B);
  advance(DAY_MS - 1);
  for (const id of ['sha256:AA', 'aa', 'AA']) expect(text(id)).toBe(A);
  const isSame = versionCheck();
  advance(1);
  // Answers kept for these ids must no longer be found.
  expect(isSame()).toBe(false);
  for (const id of ['sha256:AA', 'aa', 'AA']) expect(text(id)).toBeUndefined();
});

test('with a retire time of 0, an id that vanished is no longer served', async () => {
  const { text, replace, versionCheck } = await start({ a: A, b: A }, 'm.json', 0);
  const isSame = versionCheck();
  replace({ b: A });
  await expect.poll(() => text('a')).toBeUndefined();
  expect(text('b')).toBe(A);
  // Answers kept for it must no longer be found.
  expect(isSame()).toBe(false);
});

test('an id that is removed is revoked for clients, kept answers included', async () => {
  const folder = temporaryFolder();
  const path = write(folder, 'm.json', { a: A, b: B });
  const { get } = await open({ paths: [path], env: { PERSISTED_RETIRE_SECONDS: '0' } });
  for (let n = 0; n < 2; n += 1) expect((await get('/graphql/a')).errors).toEqual([]);
  write(folder, 'm.json', { b: B });
  const code = async () => (await get('/graphql/a')).code;
  await expect.poll(code, { interval: 50 }).toBe('PERSISTED_QUERY_NOT_IN_LIST');
  expect((await get('/graphql/b')).errors).toEqual([]);
});

test('an id that vanished and returned stays; another change does not prolong the day', async () => {
  const { text, replace, advance } = await start({ a: A, b: A });
  replace({ c: B });
  await expect.poll(() => text('c')).toBe(B);
  advance(DAY_MS / 2);
  replace({ a: B, d: B });
  await expect.poll(() => text('d')).toBe(B);
  expect(text('a')).toBe(B);
  advance(DAY_MS / 2);
  expect(text('b')).toBeUndefined();
  expect(text('c')).toBe(B);
  expect(text('a')).toBe(B);
});

test('after closing, files are no longer checked', async () => {
  const { text, replace, close } = await start({ a: A });
  close();
  replace({ b: B });
  await setTimeout(5 * POLL_MS);
  expect(text('b')).toBeUndefined();
});
