import type { GraphQLResolveInfo } from 'graphql';
import { decodedPart } from '../encoding.ts';
import { badInput } from '../upstream/errors.ts';
import { AT_MOST, MAX_ITEMS, TOO_MANY_ITEMS } from './arguments.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { attempt, type Maybe } from '../maybe.ts';
import { mustWait, turnOf } from './time-slices.ts';

/** The Node interface, and the fields `node` and `nodes` over all types that are registered here. */

interface NodeShape {
  id: string;
}

/** Fetches a node by the parts of its id. Null: it no longer exists; undefined: the parts do not form a valid id. */
type NodeLoader = (
  parts: readonly string[],
  context: Context,
  info: GraphQLResolveInfo,
) => Maybe<NodeShape | null> | undefined;

const loaders = new Map<string, NodeLoader>();

/** Makes a type reachable through `node(id)`. */
export function registerNode(type: string, load: NodeLoader): void {
  loaders.set(type, load);
}

/** Loads a node. Throws BAD_USER_INPUT, naming `argument`, if `id` is not a valid id. */
function loadNode(
  id: string,
  argument: string,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<NodeShape | null> {
  const [type = '', ...parts] = id.split(':');
  const node = loaders.get(type)?.(
    parts.map((part) => decodedPart(part) ?? ''),
    context,
    info,
  );
  if (node === undefined) throw badInput(argument, 'is not an id of this endpoint');
  return node;
}

export const Node = builder.interfaceRef<NodeShape>('Node').implement({
  description: 'An object that can be fetched again by its id.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique among all objects of this endpoint.' }),
  }),
  resolveType: ({ id }) => id.slice(0, id.indexOf(':')),
});

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description:
      'An object by its id; null if it no longer exists. Costs the same as the query field that returns such objects.',
    args: { id: t.arg.id({ required: true, description: 'The id of the object.' }) },
    resolve: (_root, { id }, context, info) => loadNode(id, 'id', context, info),
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description:
      'Objects by their ids, in that order; null for each that no longer exists. Costs the same as the query fields that return such objects.',
    args: {
      ids: t.arg.idList({ required: true, description: `The ids of the objects: ${AT_MOST}` }),
    },
    resolve(_root, { ids }, context, info) {
      if (ids.length > MAX_ITEMS) throw badInput('ids', TOO_MANY_ITEMS);
      return ids.map((id, i) => {
        const path = { prev: info.path, key: i, typename: undefined };
        // A wrong id fails its own place in the list, not its neighbors.
        const load = () => attempt(() => loadNode(id, `ids[${i}]`, context, { ...info, path }));
        return mustWait(context.resources) ? turnOf(context.resources).then(load) : load();
      });
    },
  }),
}));
