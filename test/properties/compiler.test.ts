import * as fc from 'fast-check';
import {
  buildSchema,
  execute,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { withCompiledSelections } from '../../src/execution/compiler/execute.ts';
import { jsonOf } from '../../src/json.ts';
import { query, root, schema, variables } from './compiler-world.ts';

/** Compiled selections give the same results as graphql-js for the same objects, errors included. */

const run = withCompiledSelections(schema, execute);

test('every answer is that of graphql-js', async () => {
  let compiled = 0;
  await fc.assert(
    fc.asyncProperty(query, variables, root, async (text, variableValues, rootValue) => {
      const document = parse(text);
      const isUsed = !validate(schema, document).some(
        ({ message }) => !message.includes('never used'),
      );
      fc.pre(isUsed);
      const wanted = JSON.stringify(await execute({ schema, document, rootValue, variableValues }));
      const first = await run({ schema, document, rootValue, variableValues });
      if (first.data && 'toJSON' in first.data) compiled += 1;
      expect(JSON.stringify(first)).toBe(wanted);
      expect(wanted).toContain(first.data ? `"data":${jsonOf(first.data)}` : '');
      // Now from the memoized text of each item.
      expect(JSON.stringify(await run({ schema, document, rootValue, variableValues }))).toBe(
        wanted,
      );
    }),
    { numRuns: 3000 },
  );
  expect(compiled).toBeGreaterThan(300);
});

test('an error of one item does not end the process while the others are waited for', async () => {
  const document = parse('{ late { id } }');
  const { errors } = await run({ schema, document });
  expect(errors?.map(({ message, path }) => [message, path])).toEqual([['late', ['late', 0]]]);
});

test.each([
  ['is memoized', '{ item { id derived } }', 1],
  [
    'is not, where aliases could make it longer than its record',
    '{ item { a: derived b: derived } }',
    6,
  ],
  ['is not, where aliases below it could', '{ item { derived part { x: a y: a } } }', 3],
  ['is not, where names could', `{ item { ${'long'.repeat(100)}: derived } }`, 3],
])('the text of a record %s', async (_what, text, reads) => {
  let count = 0;
  const rootValue = {
    item: {
      id: '1',
      part: { a: 'a' },
      get text() {
        count += 1;
        return 'text';
      },
    },
  };
  const document = parse(text);
  for (let i = 0; i < 3; i += 1) await run({ schema, document, rootValue });
  expect(count).toBe(reads);
});

test('a query whose fragments double at each level runs uncompiled', async () => {
  const last = 'fragment F20 on Part { a }';
  const fragments = Array.from(
    { length: 20 },
    (_, i) =>
      `fragment F${i} on Part { a x${i}: inner { ...F${i + 1} } y${i}: inner { ...F${i + 1} } }`,
  );
  const document = parse(`{ item { part { ...F0 } } } ${fragments.join('\n')} ${last}`);
  const rootValue = { item: { part: { a: 'here', inner: null } } };
  const { data } = await run({ schema, document, rootValue });
  expect(data).toEqual({ item: { part: { a: 'here', x0: null, y0: null } } });
});

test('a fragment on an interface or a union of the type is expanded, one on another type is not', async () => {
  const target = buildSchema(`
    type Query { a: A }
    interface Named { name: String }
    union Either = A | B
    type A implements Named { name: String }
    type B implements Named { name: String }
  `);
  const document = parse(`{ a { ... on Either { ...N } ... on Named { ... on B { x: name } } } }
    fragment N on Named { name y: name ... on A { z: name } }`);
  expect(validate(target, document)).toEqual([]);
  const execution = { schema: target, document, rootValue: { a: { __typename: 'A', name: 'n' } } };
  const { data } = await withCompiledSelections(target, execute)(execution);
  expect(jsonOf(data)).toBe('{"a":{"name":"n","y":"n","z":"n"}}');
  expect(data).toHaveProperty('toJSON');
});

test('resolvers get the info of the query as it was written', async () => {
  const target = buildSchema(
    'type Query { list(n: Int): List } type List { items: [Item!]! } type Item { id: ID! }',
  );
  let seen: GraphQLResolveInfo[] = [];
  const inspect: GraphQLFieldResolver<unknown, unknown> = (_source, _args, _context, info) => {
    seen.push(info);
    return { items: [{ id: '1' }] };
  };
  const inspectAgain: GraphQLFieldResolver<unknown, unknown> = (_source, _args, _context, info) => {
    seen.push(info);
    return [{ id: '1' }];
  };
  for (const [type, field, resolve] of [
    ['Query', 'list', inspect],
    ['List', 'items', inspectAgain],
  ] as const) {
    const owner = target.getType(type);
    if (isObjectType(owner)) Object.assign(owner.getFields()[field]!, { resolve });
  }
  const document = parse(
    '{ list { ...F } a: list(n: 1) { items { id } items { __typename } } } fragment F on List { items { id } }',
  );
  await execute({ schema: target, document });
  const wanted = seen.map(comparable);
  seen = [];
  const { data } = await withCompiledSelections(target, execute)({ schema: target, document });
  expect(data).toHaveProperty('toJSON');
  expect(seen.map(comparable)).toEqual(wanted);
  expect(seen.map(({ schema: same }) => same === target)).toEqual([true, true, true, true]);
});

/** Everything except what each run creates anew. */
function comparable({
  getAbortSignal: _signal,
  getAsyncHelpers: _helpers,
  schema: _schema,
  parentType,
  returnType,
  ...info
}: GraphQLResolveInfo) {
  return { ...info, parentType: String(parentType), returnType: String(returnType) };
}

test('a field without a resolver, on a missing root value, is null', async () => {
  const document = parse('{ item { id } }');
  expect(JSON.stringify(await run({ schema, document }))).toBe('{"data":{"item":null}}');
});
