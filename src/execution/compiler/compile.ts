import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import {
  fragmentsOf,
  operationsOf,
  selectFields,
  type SelectedField,
  type SelectionScope,
  setsBelow,
} from '../../documents/selections.ts';
import type { JsonFields } from '../pieces.ts';
import { serializerOf } from './serialize.ts';
import type { Serialize } from './writers.ts';

/**
 * Rewrites a query so that some of its fields, the *compiled fields*, return the JSON text of their
 * value instead of objects. A field is compiled if everything selected below it is only read
 * from the objects that its resolver returns (serialize.ts).
 */
export interface CompiledQuery {
  /** The query, with other names (`compiledName`) for the compiled fields. */
  document: DocumentNode;
  /** Where the compiled fields are in the result. */
  jsonFields: JsonFields;
}

/**
 * The first node of a rewritten field. The original is a property of it, and not an entry of a WeakMap: V8 would keep
 * such an entry, and with it the whole document, until the next full garbage collection, although most documents are
 * run once.
 */
export interface RewrittenNode extends FieldNode {
  readonly original?: OriginalField;
}

/** A field, and its operation, as the client wrote them. */
interface OriginalField {
  nodes: readonly FieldNode[];
  operation: OperationDefinitionNode;
  /** Only for a compiled field. */
  serialize?: Serialize;
}

/** Suffix of the names of compiled fields: no field of the original schema may end with it. */
export const COMPILED_SUFFIX = '_compiledToJson';
/** Returns the name of the compiled field in the extended schema (extended-schema.ts). */
export const compiledName = (fieldName: string): string => fieldName + COMPILED_SUFFIX;

/** Maximum fields of a query that is compiled. */
const MAX_COMPILED_FIELDS = 2000;

/**
 * Compiles a valid document. Returns undefined if there is nothing to gain, if it is not a query, has several
 * operations or is too large, or if a directive on a fragment, or on one of several nodes of a field, makes its
 * selections depend on variables.
 */
export function compileQuery(
  document: DocumentNode,
  schema: GraphQLSchema,
): CompiledQuery | undefined {
  const operations = operationsOf(document);
  const [operation] = operations;
  const query = schema.getQueryType();
  if (!query || operations.length !== 1 || operation?.operation !== OperationTypeNode.QUERY)
    return undefined;
  const scope = { schema, fragments: fragmentsOf(document), left: MAX_COMPILED_FIELDS, operation };
  const { selectionSet, jsonFields } = rewrite(query, [operation.selectionSet], scope) ?? {};
  if (!selectionSet || !jsonFields?.size) return undefined;
  const compiled = {
    ...document,
    definitions: [{ ...operation, selectionSet }, ...scope.fragments.values()],
  };
  return { document: compiled, jsonFields };
}

interface CompileScope extends SelectionScope {
  operation: OperationDefinitionNode;
}

interface RewrittenSelection {
  selectionSet: SelectionSetNode;
  jsonFields: JsonFields;
}

/** Returns the same selection with its fragments inlined; undefined if the query cannot be compiled. */
function rewrite(
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  scope: CompileScope,
): RewrittenSelection | undefined {
  const { fields, isConditional } = selectFields(type, sets, scope);
  if (isConditional || scope.left < 0) return undefined;
  const selections: FieldNode[] = [];
  const jsonFields = new Map<string, JsonFields | 'json'>();
  for (const field of fields) {
    const { nodes, json } = rewriteField(type, field, scope) ?? {};
    if (!nodes) return undefined;
    selections.push(...nodes);
    if (json === 'json' || json?.size) jsonFields.set(field.responseName, json);
  }
  return { selectionSet: { kind: Kind.SELECTION_SET, selections }, jsonFields };
}

interface NewField {
  /** As many as before, since an error names the location of each. */
  nodes: readonly FieldNode[];
  json?: JsonFields | 'json';
}

function rewriteField(
  type: GraphQLObjectType,
  selected: SelectedField,
  scope: CompileScope,
): NewField | undefined {
  const { nodes } = selected;
  const [first, ...others] = nodes;
  if (others.length > 0 && nodes.some(({ directives }) => directives?.length)) return undefined;
  const field = type.getFields()[first.name.value];
  // Introspection must not see the extended schema.
  if (!field) return first.name.value === '__typename' ? { nodes } : undefined;
  if (!first.selectionSet) return { nodes };
  const serialize = serializerOf(field.type, nodes, scope);
  if (serialize) return compiledField(selected, { nodes, operation: scope.operation, serialize });
  const named = getNamedType(field.type);
  return isObjectType(named) ? openedField(named, nodes, scope) : { nodes };
}

function compiledField({ nodes, responseName }: SelectedField, original: OriginalField): NewField {
  const [first, ...others] = nodes.map((node) => compiledNode(node, responseName));
  const compiled: RewrittenNode = { ...first!, original };
  return { nodes: [compiled, ...others], json: 'json' };
}

/** Rewrites a field that is not compiled itself, but may have compiled fields below. */
function openedField(
  type: GraphQLObjectType,
  nodes: SelectedField['nodes'],
  scope: CompileScope,
): NewField | undefined {
  const below = rewrite(type, setsBelow(nodes), scope);
  if (!below) return undefined;
  const [first, ...others] = nodes;
  const original = { nodes, operation: scope.operation };
  const node: RewrittenNode = { ...first, selectionSet: below.selectionSet, original };
  return { nodes: [node, ...others.map(withoutSelections)], json: below.jsonFields };
}

const withoutSelections = ({ selectionSet: _below, ...node }: FieldNode): FieldNode => node;

/** Returns a node that selects the compiled field, with the same arguments, directives and response name. */
function compiledNode(node: FieldNode, responseName: string): FieldNode {
  return {
    ...withoutSelections(node),
    name: { kind: Kind.NAME, value: compiledName(node.name.value) },
    alias: { kind: Kind.NAME, value: responseName },
  };
}
