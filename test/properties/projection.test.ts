import * as fc from 'fast-check';
import { execute, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { createExecute } from '../../src/projection/execute.ts';
import { query, root, schema, variables } from './projection-world.ts';

/** What is written as JSON at once is what graphql-js makes of the same objects, errors included. */

const run = createExecute(schema);

test('every answer is the one of graphql-js', async () => {
  let projected = 0;
  await fc.assert(
    fc.asyncProperty(query, variables, root, async (text, variableValues, rootValue) => {
      const document = parse(text);
      const isUsed = !validate(schema, document).some(
        ({ message }) => !message.includes('never used'),
      );
      fc.pre(isUsed);
      const wanted = JSON.stringify(await execute({ schema, document, rootValue, variableValues }));
      const first = await run({ schema, document, rootValue, variableValues });
      if (first.data && 'text' in first.data) projected += 1;
      expect(JSON.stringify(first)).toBe(wanted);
      // Now out of what is remembered of each item.
      expect(JSON.stringify(await run({ schema, document, rootValue, variableValues }))).toBe(
        wanted,
      );
    }),
    { numRuns: 3000 },
  );
  expect(projected).toBeGreaterThan(300);
});

test('an error of one item does not end the process while the others are waited for', async () => {
  const document = parse('{ late { id } }');
  const { errors } = await run({ schema, document });
  expect(errors?.map(({ message, path }) => [message, path])).toEqual([['late', ['late', 0]]]);
});

test.each([
  ['is remembered', '{ item { id derived } }', 1],
  [
    'is not, where aliases could make it longer than its record',
    '{ item { a: derived b: derived } }',
    6,
  ],
  ['is not, where aliases below it could', '{ item { derived part { x: a y: a } } }', 3],
  ['is not, where names could', `{ item { ${'long'.repeat(100)}: derived } }`, 3],
])('what is made of a record %s', async (_what, text, reads) => {
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

test('a query whose fragments double without end is run as it is', async () => {
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
