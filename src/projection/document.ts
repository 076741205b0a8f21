import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { twinOf } from '../graph/lookahead.ts';
import type { Shape } from './json-text.ts';
import { type Project, projectionOf } from './projection.ts';
import { fieldsOf, type Reading, setsBelow } from './selection.ts';
import type { Projections } from './twins.ts';

/** A query with twins in the place of fields, and where in its result they stand. */
export interface Projected {
  document: DocumentNode;
  shape: Shape;
}

/** Larger queries run as they are. */
const MAX_FIELDS = 2000;

/**
 * Puts twins in the place of all fields below which there is nothing but a projection; undefined
 * where there are none, or where it depends on variables.
 */
export function withProjections(
  document: DocumentNode,
  schema: GraphQLSchema,
  projections: Projections,
): Projected | undefined {
  const { definitions } = document;
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const [operation] = operations;
  const query = schema.getQueryType();
  if (!query || operations.length !== 1 || operation?.operation !== OperationTypeNode.QUERY)
    return undefined;
  const byName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  const draft = { fragments: byName, left: MAX_FIELDS, twins: new Map<FieldNode, Project>() };
  const written = rewrite(query, [operation.selectionSet], draft);
  if (!written || draft.twins.size === 0) return undefined;
  for (const [node, project] of draft.twins) projections.set(node, project);
  const { selectionSet, shape } = written;
  return {
    document: { ...document, definitions: [{ ...operation, selectionSet }, ...fragments] },
    shape,
  };
}

interface Draft extends Reading {
  twins: Map<FieldNode, Project>;
}

interface Written {
  selectionSet: SelectionSetNode;
  shape: Shape;
}

/** The same selection as fields alone; undefined where that depends on variables. */
function rewrite(
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  draft: Draft,
): Written | undefined {
  const selected = fieldsOf(type, sets, draft);
  if (!selected) return undefined;
  const selections: FieldNode[] = [];
  const shape = new Map<string, Shape | 'text'>();
  for (const [key, nodes] of selected) {
    const written = rewriteField(type, key, nodes, draft);
    if (!written) return undefined;
    selections.push(...written.nodes);
    if (written.shape) shape.set(key, written.shape);
  }
  return { selectionSet: { kind: Kind.SELECTION_SET, selections }, shape };
}

interface WrittenField {
  /** As many as there were: an error names the place of each. */
  nodes: readonly FieldNode[];
  shape?: Shape | 'text';
}

function rewriteField(
  type: GraphQLObjectType,
  key: string,
  nodes: readonly FieldNode[],
  draft: Draft,
): WrittenField | undefined {
  const [first, ...others] = nodes as readonly [FieldNode, ...FieldNode[]];
  if (others.length > 0 && nodes.some(({ directives }) => directives?.length)) return undefined;
  const field = type.getFields()[first.name.value];
  // Introspection tells of the schema as it is.
  if (!field) return first.name.value === '__typename' ? { nodes } : undefined;
  if (!first.selectionSet) return { nodes };
  const project = projectionOf(field.type, nodes, draft);
  if (project) {
    const twins = nodes.map((node) => twinNode(node, key));
    draft.twins.set(twins[0]!, project);
    return { nodes: twins, shape: 'text' };
  }
  const named = getNamedType(field.type);
  if (!isObjectType(named)) return { nodes };
  const below = rewrite(named, setsBelow(nodes), draft);
  if (!below) return undefined;
  const { selectionSet, shape } = below;
  return { nodes: [{ ...first, selectionSet }, ...others.map(withoutBelow)], shape };
}

const withoutBelow = ({ selectionSet: _below, ...node }: FieldNode): FieldNode => node;

/** In the place of `node`: the same arguments, and the same name in the response. */
function twinNode(node: FieldNode, key: string): FieldNode {
  return {
    ...withoutBelow(node),
    name: { kind: Kind.NAME, value: twinOf(node.name.value) },
    alias: { kind: Kind.NAME, value: key },
  };
}
