import type { FieldNode, GraphQLResolveInfo } from 'graphql';

/** What was found out about a selection of a field, which may consist of several nodes, by name. */
interface Known {
  nodes: readonly FieldNode[];
  byName: Map<string, unknown>;
}

/** By the variables of an operation, and the first node of a selection. */
const knownBefore = new WeakMap<object, Map<FieldNode | undefined, Known>>();

/**
 * Returns what `find` returns about the selection of the field that is being resolved. It is called once for each
 * operation, selection and `name`: a selection may be as long as the document, and apply to hundreds of objects.
 */
export function onceForSelection<T>(
  { variableValues, fieldNodes }: GraphQLResolveInfo,
  name: string,
  find: () => T,
): T {
  const bySelection = knownBefore.get(variableValues) ?? new Map<FieldNode | undefined, Known>();
  knownBefore.set(variableValues, bySelection);
  let known = bySelection.get(fieldNodes[0]);
  // A field of a fragment may be merged with others in one place, and be alone in another.
  if (!known || !areSame(known.nodes, fieldNodes)) {
    known = { nodes: fieldNodes, byName: new Map() };
    bySelection.set(fieldNodes[0], known);
  }
  const { byName } = known;
  if (!byName.has(name)) byName.set(name, find());
  return byName.get(name) as T;
}

const areSame = (some: readonly FieldNode[], others: readonly FieldNode[]): boolean =>
  some.length === others.length && some.every((node, i) => node === others[i]);
