import { GraphQLSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.ts';
import { open } from '../harness.ts';

/**
 * A copy of graphql does not recognize objects of another copy: the schema would be invalid, and the gateway's
 * own errors would be masked as unexpected ones (vitest.config.ts).
 */

test('schema, server and sources share one copy of graphql', () => {
  expect(schema).toBeInstanceOf(GraphQLSchema);
});

test("the gateway's own errors reach the client unmasked", async () => {
  const { ask } = await open();
  const { errors } = await ask('{ fxRate(pair: "lira") { mid } }');
  expect(errors).toMatchObject([
    { message: expect.stringMatching(/^pair: /), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

test('every type, field, argument and value of the schema has a description', () => {
  const missing: string[] = [];
  const check = (name: string, { description }: { description?: string | null | undefined }) => {
    if (!description) missing.push(name);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    check(type.name, type);
    if ('getValues' in type)
      for (const value of type.getValues()) check(`${type.name}.${value.name}`, value);
    if (!('getFields' in type)) continue;
    for (const field of Object.values(type.getFields())) {
      check(`${type.name}.${field.name}`, field);
      if ('args' in field)
        for (const arg of field.args) check(`${type.name}.${field.name}(${arg.name})`, arg);
    }
  }
  expect(missing).toEqual([]);
});
