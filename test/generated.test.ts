import { readFileSync } from 'node:fs';
import { generate } from '@graphql-codegen/cli';
import {
  buildClientSchema,
  buildSchema,
  executeSync,
  findBreakingChanges,
  getIntrospectionQuery,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  parse,
} from 'graphql';
import { expect, test } from 'vitest';
import codegen from '../codegen.ts';
import { SCHEMA_FILE, schemaText } from '../src/commands/print-schema.ts';
import { schema } from '../src/schema.ts';

/** If one of the first two tests fails, run `npm run generate`. */

test('schema.graphql matches the code', () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(schemaText());
});

test('the typed documents and the manifest match the operations', async () => {
  const files: { filename: string; content: string }[] = await generate(
    { ...codegen, schema: schemaText() },
    false,
  );
  expect(files.length).toBeGreaterThan(0);
  for (const { filename, content } of files)
    expect(readFileSync(filename, 'utf8').trimEnd()).toBe(content.trimEnd());
});

test('the schema keeps every promise of the contract', () => {
  const text = readFileSync(new URL('contract.graphql', import.meta.url), 'utf8');
  expect(findBreakingChanges(buildSchema(text), schema)).toEqual([]);
  // Tools learn the schema by this query, which leaves out arguments and input fields that are deprecated.
  const { data } = executeSync({ schema, document: parse(getIntrospectionQuery()) });
  const asSeen = buildClientSchema(data as unknown as IntrospectionQuery);
  expect(findBreakingChanges(buildSchema(text), asSeen)).toEqual([]);
});

/** Everything that a client can name, with its description. */
function* elements(): Generator<[name: string, description: string | null | undefined]> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type)) continue;
    yield [type.name, type.description];
    if (isEnumType(type))
      for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description];
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields()))
        yield [`${type.name}.${field.name}`, field.description];
    if (isObjectType(type) || isInterfaceType(type))
      for (const field of Object.values(type.getFields())) {
        yield [`${type.name}.${field.name}`, field.description];
        for (const { name, description } of field.args)
          yield [`${type.name}.${field.name}(${name})`, description];
      }
  }
}

test('every type, field, argument and value has a description', () => {
  const undescribed = [...elements()].filter(([, description]) => !description?.trim());
  expect(undescribed.map(([name]) => name)).toEqual([]);
});
