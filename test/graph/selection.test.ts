import { buildSchema, type FieldNode, graphqlSync, type GraphQLResolveInfo } from 'graphql';
import { expect, test } from 'vitest';
import { namesBelow } from '../../src/graph/selection.ts';

/** What resolvers learn about the selection below their field. */

const schema = buildSchema(`
  type Query { one: Item other: Item items: [Item] }
  type Item { part: Part }
  type Part { a: Int b: Int }
`);

/** Executes a query; returns what each resolver of `Item.part` was told. */
function infosOf(source: string): GraphQLResolveInfo[] {
  const infos: GraphQLResolveInfo[] = [];
  const part = (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => {
    infos.push(info);
    return {};
  };
  const item = { part };
  const rootValue = { one: item, other: item, items: [item, item, item] };
  expect(graphqlSync({ schema, source, rootValue }).errors).toBeUndefined();
  return infos;
}

/** Counts how often the selections below a node are read. */
function countReads(node: FieldNode): () => number {
  let reads = 0;
  const { selectionSet } = node;
  Object.defineProperty(node, 'selectionSet', { get: () => ((reads += 1), selectionSet) });
  return () => reads;
}

test('a selection is walked once, however many objects it applies to', () => {
  const infos = infosOf('{ items { part { a b } } }');
  expect(infos).toHaveLength(3);
  const reads = countReads(infos[0]!.fieldNodes[0]!);
  for (const info of infos) expect([...namesBelow(info)]).toEqual(['a', 'b']);
  expect(reads()).toBe(1);
});

test('a field of a fragment that is merged with another one in one place is alone in another', () => {
  const infos = infosOf(
    '{ one { ...Parts part { b } } other { ...Parts } } fragment Parts on Item { part { a } }',
  );
  const names = () => infos.map((info) => [...namesBelow(info)]);
  expect(names()).toEqual([['a', 'b'], ['a']]);
  expect(names()).toEqual([['a', 'b'], ['a']]);
});
