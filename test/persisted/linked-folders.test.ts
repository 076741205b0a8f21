import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { readOperations, signatureOf } from '../../src/documents/files.ts';
import { temporaryFolder } from '../harness.ts';

/** Folders of documents may contain links. */

const BODY = 'query A { __typename }';
const filesIn = async (folder: string) =>
  (await readOperations(folder)).operations.map(({ file }) => file.slice(folder.length + 1));

test('links that lead back to a parent folder are not followed for ever', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.graphql'), BODY);
  for (const name of ['l1', 'l2']) symlinkSync('.', join(folder, name));
  expect(await filesIn(folder)).toEqual(['a.graphql']);
});

test('links to other folders and to files are followed, and broken ones are ignored', async () => {
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(other, 'b.graphql'), BODY);
  mkdirSync(join(folder, 'below'));
  writeFileSync(join(folder, 'below', 'c.gql'), BODY);
  symlinkSync(other, join(folder, 'other'));
  symlinkSync(join(other, 'b.graphql'), join(folder, 'a.graphql'));
  symlinkSync('nowhere', join(folder, 'broken'));
  expect(await filesIn(folder)).toEqual(['a.graphql', 'below/c.gql', 'other/b.graphql']);
});

test('documents of a folder that Kubernetes fills are read once, and their replacement is noticed', async () => {
  const folder = temporaryFolder();
  const fill = (generation: string) => {
    mkdirSync(join(folder, generation));
    writeFileSync(join(folder, generation, 'a.graphql'), `${BODY} # ${basename(generation)}`);
    symlinkSync(generation, join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  };
  fill('..1');
  symlinkSync('..data/a.graphql', join(folder, 'a.graphql'));
  expect(await filesIn(folder)).toEqual(['a.graphql']);
  const before = await signatureOf([folder]);
  fill('..2');
  expect(await signatureOf([folder])).not.toBe(before);
  expect((await readOperations(folder)).operations[0]?.body).toContain('# ..2');
});
