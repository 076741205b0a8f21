import * as fc from 'fast-check';
import { buildSchema, type GraphQLSchema, isObjectType } from 'graphql';

/** A small schema with values that do not always match it, and queries for it. */

export const schema = buildSchema(`
  interface Node { id: ID! }
  enum Kind { SMALL LARGE }
  type Query {
    item: Item
    must: Item!
    items: [Item!]
    holes: [Item]!
    of(n: Int): Item
    needs(n: Int!): Item
    late: [Item!]
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

resolve(schema, 'Query', 'late', () => [Promise.reject(new Error('late')), { id: '1' }]);

/** Values other than the type promises, which occur now and then. */
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
export const root = fc.record({
  item: later(mostly(item)),
  must: later(mostly(item)),
  items: later(mostly(items)),
  holes: mostly(items),
  of: item,
  needs: item,
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
export const query = fc
  .tuple(
    selection(
      field(
        ['item', 'must', 'items', 'holes', 'of(n: 1)', 'of(n: $n)', 'needs(n: $n)'],
        withFragment,
      ),
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

export const variables = fc.constantFrom({}, {}, { n: 3, yes: false }, { n: null });
