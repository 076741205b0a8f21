import * as fc from 'fast-check';
import { buildSchema, execute, type GraphQLSchema, isObjectType, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { createExecute } from '../../src/projection/execute.ts';

/** What is written as JSON at once is what graphql-js makes of the same objects, errors included. */

const schema = buildSchema(`
  interface Node { id: ID! }
  enum Kind { SMALL LARGE }
  type Query {
    item: Item
    must: Item!
    items: [Item!]
    holes: [Item]!
    of(n: Int): Item
    node: Node
    texts: [String!]
  }
  type Item implements Node {
    id: ID!
    text: String
    sure: String!
    int: Int
    float: Float!
    flag: Boolean
    kind: Kind
    tags: [String!]
    part: Part
    parts: [Part!]!
    derived: String
    asked(n: Int): Int
    other: Item
  }
  type Part { a: String! b: Float inner: Part }
`);
resolve(schema, 'Item', 'derived', ({ text }: { text: unknown }) => text);
resolve(schema, 'Item', 'asked', (_item: unknown, { n }: { n?: number }) => n ?? null);

function resolve(target: GraphQLSchema, type: string, field: string, run: unknown): void {
  const owner = target.getType(type);
  if (isObjectType(owner)) Object.assign(owner.getFields()[field]!, { resolve: run });
}

const run = createExecute(schema);

/** Mostly what the type promises, and now and then something else. */
const odd = fc.constantFrom(
  null,
  undefined,
  NaN,
  'SMALL',
  1.5,
  {},
  [],
  new Error('broken'),
  () => 1,
);
const mostly = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: usual, weight: 40 }, { arbitrary: odd, weight: 1 });
const later = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { arbitrary: usual, weight: 20 },
    { arbitrary: usual.map((value) => Promise.resolve(value)), weight: 1 },
  );

const part = fc.record({
  a: mostly(fc.string({ unit: 'binary' })),
  b: mostly(fc.double({ noDefaultInfinity: true })),
  inner: fc.option(fc.record({ a: fc.string(), b: fc.integer() })),
});
const item = fc.record({
  __typename: fc.constant('Item'),
  id: mostly(fc.oneof(fc.string(), fc.integer())),
  text: mostly(fc.string()),
  sure: later(mostly(fc.string())),
  int: mostly(fc.integer()),
  float: mostly(fc.double({ noNaN: true, noDefaultInfinity: true })),
  flag: mostly(fc.boolean()),
  kind: mostly(fc.constantFrom('SMALL', 'LARGE')),
  tags: mostly(fc.array(fc.string(), { maxLength: 2 })),
  part: later(mostly(part)),
  parts: mostly(fc.array(part, { maxLength: 3 })),
});
const items = fc.array(later(mostly(item)), { maxLength: 3 });
const root = fc.record({
  item: later(mostly(item)),
  must: later(mostly(item)),
  items: later(mostly(items)),
  holes: mostly(items),
  of: item,
  node: item,
  texts: mostly(fc.array(fc.string())),
});

const directive = fc.oneof(
  { arbitrary: fc.constant(''), weight: 12 },
  {
    arbitrary: fc.constantFrom('@include(if: $yes)', '@skip(if: $yes)', '@skip(if: false)'),
    weight: 1,
  },
);
const alias = fc.oneof({ arbitrary: fc.constant(''), weight: 4 }, fc.constantFrom('x: ', 'y: '));

const nothing = fc.constant('');
const field = (names: readonly string[], below: fc.Arbitrary<string> = nothing) =>
  fc.tuple(alias, fc.constantFrom(...names), directive, below).map((parts) => parts.join(' '));
const selection = (...fields: fc.Arbitrary<string>[]) =>
  fc
    .array(fc.oneof(...fields), { minLength: 1, maxLength: 5 })
    .map((all) => `{ ${all.join('\n')} }`);

const inner = field(['inner'], fc.constantFrom('{ a }', '{ b a }'));
const partBelow = selection(field(['a', 'b', '__typename']), inner);
const leaves = field(['id', 'text', 'sure', 'int', 'float', 'flag', 'kind', 'tags', 'derived']);
const itemBelow = selection(
  leaves,
  leaves,
  field(['asked', 'asked(n: 3)', 'asked(n: $n)', '__typename']),
  field(['part', 'parts'], partBelow),
);
const spread = fc.constantFrom('', '...F', '...N', '...F @skip(if: $yes)', '... on Node { id }');
const withFragment = fc
  .tuple(itemBelow, spread)
  .map(([fields, fragment]) => fields.replace(/\}$/, ` ${fragment} }`));
const query = fc
  .tuple(
    selection(
      field(['item', 'must', 'items', 'holes', 'of(n: 1)', 'of(n: $n)'], withFragment),
      field(
        ['node'],
        withFragment.map((below) => `{ id ... on Item ${below} }`),
      ),
      field(['texts', '__typename']),
    ),
    itemBelow,
  )
  .map(
    ([fields, fragment]) =>
      `query ($yes: Boolean = true, $n: Int = 2) ${fields}
       fragment F on Item ${fragment} fragment N on Node { id }`,
  );

test('every answer is the one of graphql-js', async () => {
  let projected = 0;
  await fc.assert(
    fc.asyncProperty(query, root, async (text, rootValue) => {
      const document = parse(text);
      const isUsed = !validate(schema, document).some(
        ({ message }) => !message.includes('never used'),
      );
      fc.pre(isUsed);
      const wanted = JSON.stringify(await execute({ schema, document, rootValue }));
      const first = await run({ schema, document, rootValue });
      if (first.data && 'text' in first.data) projected += 1;
      expect(JSON.stringify(first)).toBe(wanted);
      // Now out of what is remembered of each item.
      expect(JSON.stringify(await run({ schema, document, rootValue }))).toBe(wanted);
    }),
    { numRuns: 3000 },
  );
  expect(projected).toBeGreaterThan(300);
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
