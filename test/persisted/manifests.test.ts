import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/config.ts';
import { sha256 } from '../../src/documents/ids.ts';
import { temporaryFolder } from '../harness.ts';
import { ALLOW_LIST, type Content, DATA, open, QUERY, write } from './gateway.ts';

/** wire-formats.md section 1. */

const hashed = (algorithm: string) => createHash(algorithm).update(QUERY).digest('hex');
const FORMAT = 'apollo-persisted-query-manifest';
const apollo = (operations: unknown, version: unknown = 1) => ({
  format: FORMAT,
  version,
  operations,
});
const entry = { id: sha256(QUERY), name: 'Listed', type: 'query', body: QUERY };
const MARKED = `\uFEFF${JSON.stringify({ id: QUERY })}`;
const FORMATS: { row: string; content: Content; ids: string[] }[] = [
  { row: 'Apollo manifest v1', content: apollo([entry]), ids: [sha256(QUERY)] },
  {
    row: 'Apollo manifest v1 whose ids are custom',
    content: apollo([{ ...entry, id: 'Listed/v1' }]),
    ids: ['Listed/v1'],
  },
  {
    row: 'Apollo manifest v1 with nothing but id and body',
    content: apollo([{ id: 'listed', body: QUERY }]),
    ids: ['listed'],
  },
  {
    row: 'Apollo manifest v1 with operations as an object keyed by id',
    content: apollo({ custom: { name: 'Listed', type: 'query', body: QUERY } }),
    ids: ['custom'],
  },
  {
    row: 'graphql-codegen client-preset 6, keys with sha256:',
    content: { [`sha256:${sha256(QUERY)}`]: QUERY },
    ids: [`sha256:${sha256(QUERY)}`, sha256(QUERY), sha256(QUERY).toUpperCase()],
  },
  {
    row: 'graphql-codegen client-preset before 6, sha1 without prefix',
    content: { [hashed('sha1')]: QUERY },
    ids: [hashed('sha1'), `sha256:${hashed('sha1')}`],
  },
  {
    row: 'Relay compiler, flat object of MD5, pretty with a final newline',
    content: `${JSON.stringify({ [hashed('md5')]: QUERY }, null, 2)}\n`,
    ids: [hashed('md5'), hashed('md5').toUpperCase()],
  },
  {
    row: 'Relay compiler, the older array of pairs',
    content: [[hashed('md5'), QUERY]],
    ids: [hashed('md5')],
  },
  {
    row: 'one .graphql file, id = SHA-256 of its text',
    content: QUERY,
    ids: [sha256(QUERY), `sha256:${sha256(QUERY)}`],
  },
  { row: 'a byte order mark in front', content: MARKED, ids: ['id'] },
];

describe('a manifest is recognized by its content:', () => {
  test.each(FORMATS)('$row', async ({ content, ids }) => {
    const name = content === QUERY ? 'listed.graphql' : 'manifest.txt';
    const { post } = await open({ files: { [name]: content }, env: ALLOW_LIST });
    for (const documentId of ids) expect(await post({ documentId })).toMatchObject({ data: DATA });
  });
});

test('.graphql folder: one document per file, id = SHA-256 of text', async () => {
  const folder = join(import.meta.dirname, '../../src/operations');
  const { resolveAll } = await openAll(folder);
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(texts.length).toBeGreaterThan(5);
  for (const text of texts) expect(resolveAll(sha256(text))).toBe(text);
});

test("the project's own persisted-documents.json is served, bodies verbatim", async () => {
  const file = join(import.meta.dirname, '../../src/operations/generated/persisted-documents.json');
  const { resolveAll } = await openAll(file);
  const content: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
  for (const [id, body] of Object.entries(content)) expect(resolveAll(id)).toBe(body);
});

async function openAll(path: string) {
  const { openManifests } = await import('../../src/documents/manifests.ts');
  const { keptListIn } = await import('../../src/documents/kept-list.ts');
  const { schema } = await import('../../src/schema.ts');
  const { default: pino } = await import('pino');
  const log = pino({ level: 'silent' });
  const clocked = { monotonic: Date.now, retireMs: 0, kept: keptListIn([], undefined, Date.now) };
  const documents = await openManifests({ paths: [path], schema, log, ...clocked });
  documents.close();
  return { resolveAll: (id: string) => documents.find(id)?.body };
}

test('several files are one list, and a text may be in more than one of them', async () => {
  const files = { 'a.json': { one: QUERY }, 'b.json': apollo([entry]), 'c.json': { one: QUERY } };
  const { post } = await open({ files, env: ALLOW_LIST });
  for (const documentId of ['one', sha256(QUERY)])
    expect(await post({ documentId })).toMatchObject({ data: DATA });
});

test('optional clientName per operation: that client only; absent = any client', async () => {
  const own = { id: 'x', body: '{ own: __typename }', clientName: 'ios' };
  const anybody = { id: 'x', body: '{ anybody: __typename }' };
  const web = { id: 'y', body: '{ web: __typename }', clientName: 'web' };
  const { get } = await open({ files: { 'm.json': apollo([anybody, own, web]) }, env: ALLOW_LIST });
  const as = (name: string) => ({ 'apollographql-client-name': name });
  expect(await get('/graphql/x', as('ios'))).toMatchObject({ data: { own: 'Query' } });
  expect(await get('/graphql/x', as('android'))).toMatchObject({ data: { anybody: 'Query' } });
  expect(await get('/graphql/x')).toMatchObject({ data: { anybody: 'Query' } });
  expect(await get('/graphql/y', as('web'))).toMatchObject({ data: { web: 'Query' } });
  expect(await get('/graphql/y', as('ios'))).toMatchObject({ code: 'PERSISTED_QUERY_NOT_IN_LIST' });
});

test('names that differ only in case are two ids; hashes that do are one', async () => {
  const names = { Rates: '{ a: __typename }', rates: '{ b: __typename }' };
  const { get } = await open({ files: { 'm.json': names }, env: ALLOW_LIST });
  expect(await get('/graphql/Rates')).toMatchObject({ data: { a: 'Query' } });
  expect(await get('/graphql/rates')).toMatchObject({ data: { b: 'Query' } });
  expect(await get('/graphql/RATES')).toMatchObject({ code: 'PERSISTED_QUERY_NOT_IN_LIST' });
});

const other = '{ __typename }';
const hash = sha256(QUERY);
const FAULTS: { row: string; content: Content; message: RegExp }[] = [
  { row: 'unknown version', content: apollo([entry], 2), message: /version is not known/ },
  { row: 'unknown format', content: { format: 'x', version: 1 }, message: /format is not known/ },
  { row: 'no JSON', content: '{"a": ', message: /is not JSON/ },
  { row: 'JSON of another kind', content: '7', message: /is not a manifest/ },
  {
    row: 'duplicate id with other text',
    content: apollo([entry, { ...entry, body: other }]),
    message: /operation Listed: its id \w+ stands for another text/,
  },
  {
    row: 'duplicate id with other text, once with sha256:',
    content: { [hash]: QUERY, [`sha256:${hash.toUpperCase()}`]: other },
    message: /stands for another text/,
  },
  {
    row: 'a body with several operations',
    content: { id: 'query A { __typename } query B { __typename }' },
    message: /operation A: must contain exactly one operation, but has 2/,
  },
  {
    row: 'a body without an operation',
    content: { id: 'fragment F on Query { __typename }' },
    message: /operation id: must contain exactly one operation, but has none/,
  },
  {
    row: 'an unknown field',
    content: { id: 'query Wrong { nothingOfTheKind }' },
    message:
      /operation Wrong: Cannot query field "nothingOfTheKind" on type "Query"\..*line 1, column 15/,
  },
  { row: 'no GraphQL', content: { id: 'query {' }, message: /operation id: Syntax Error/ },
  { row: 'a body that is no text', content: { id: 5 }, message: /operation id: is not a string/ },
  {
    row: 'an operation without id',
    content: apollo([{ name: 'Nameless', body: QUERY }]),
    message: /operation Nameless: has no id/,
  },
  { row: 'a pair that is none', content: [['a']], message: /operation number 1: has no id/ },
];

describe('stops the start, naming the variable, the file and the reason:', () => {
  test.each(FAULTS)('$row', async ({ content, message }) => {
    const starting = open({ files: { 'fine.json': { fine: QUERY }, 'faulty.json': content } });
    const error = await starting.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toMatch(/PERSISTED_DOCUMENTS: \S+faulty\.json: /);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain('\n');
  });

  test('a file that is not there', async () => {
    const path = join(temporaryFolder(), 'nowhere.json');
    await expect(open({ paths: [path] })).rejects.toThrow(
      `PERSISTED_DOCUMENTS: ${path}: cannot be read (ENOENT)`,
    );
  });

  test('an empty folder', async () => {
    await expect(open({ paths: [temporaryFolder()] })).rejects.toThrow('contains no .graphql file');
  });

  test('several faults: the first, and how many more there are', async () => {
    const path = write(temporaryFolder(), 'm.json', { a: '{ x }', b: '{ y }', c: '{ z }' });
    await expect(open({ paths: [path] })).rejects.toThrow(/operation a: .*"x".*\(and 2 more:/);
  });
});
