import {
  type ASTNode,
  type DocumentNode,
  getNamedType,
  getNullableType,
  type GraphQLCompositeType,
  type GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  type FieldNode,
  isCompositeType,
  isIntrospectionType,
  isListType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  validate,
} from 'graphql';
import {
  fragmentsOf,
  MAX_FIELDS,
  operationsOf,
  selectFields,
  type SelectionScope,
  setsBelow,
} from './selections.ts';
import {
  defaultsOf,
  idsOf,
  lengthBelow,
  lengthWithin,
  maxOf,
  plus,
  type Size,
  times,
  type Variables,
} from './sizes.ts';
import { operationTooLarge } from '../graph/resources.ts';
import { isObject } from '../json.ts';

/**
 * Maximum number of values that an operation may ask for. A short text can ask for more than any memory
 * holds: aliases under lists under aliases multiply, and so do fragments. It limits what could be
 * returned at most, as far as the request tells; what is really returned is counted while the operation runs
 * (graph/resources.ts).
 */
const MAX_VALUES = 1_000_000;
/** Assumed length of lists whose length no argument tells, such as the rates of an event's currency. */
const ASSUMED_LIST_LENGTH = 20;
/**
 * Assumed length of the schema's own lists. The usual introspection query nests them many times, and clients with a
 * cache add `__typename` to each of its selections: it has to stay below MAX_VALUES all the same.
 */
const ASSUMED_INTROSPECTION_LENGTH = 25;

/** Maximum number of validation errors: nobody reads more, and each may repeat a long value. */
const MAX_ERRORS = 20;

/** Returns why an operation may not run with these variables; undefined if it may. */
export type CheckSize = (
  operation: OperationDefinitionNode,
  variables: Variables | null | undefined,
) => GraphQLError | undefined;

/** What was found in a document. Errors: it does not fit the schema, or is too large whatever its variables are. */
interface Examined {
  errors: readonly GraphQLError[];
  checkSize: CheckSize;
  /** Number of fields behind the sizes that depend on variables and so are kept in memory; 0 if none does. */
  varying: number;
}

/** Checks a parsed document against the schema, and computes how much each of its operations asks for. */
export function examine(schema: GraphQLSchema, document: DocumentNode): Examined {
  const errors = validate(schema, document, undefined, { maxErrors: MAX_ERRORS });
  const sizes = new Map<OperationDefinitionNode, Size>();
  const checkSize: CheckSize = (operation, variables) => checkSizeOf(operation, sizes, variables);
  if (errors.length > 0) return { errors, checkSize, varying: 0 };
  const operations = operationsOf(document);
  const reading = { schema, fragments: fragmentsOf(document), left: MAX_FIELDS };
  for (const operation of operations) sizes.set(operation, sizeOf(operation, reading));
  const large = operations.filter((operation) => {
    const size = sizes.get(operation);
    return typeof size === 'number' && size > MAX_VALUES;
  });
  const isVarying = [...sizes.values()].some((size) => typeof size === 'object');
  const varying = isVarying ? MAX_FIELDS - reading.left : 0;
  return { errors: large.map(tooLarge), checkSize, varying };
}

function checkSizeOf(
  operation: OperationDefinitionNode,
  sizes: ReadonlyMap<OperationDefinitionNode, Size>,
  variables: Variables | null | undefined,
): GraphQLError | undefined {
  if (variables && exceedsVariableLimits(variables)) return variablesTooLarge();
  const size = sizes.get(operation);
  if (typeof size !== 'object') return undefined;
  const values = size.with({ ...defaultsOf(operation), ...variables });
  return values > MAX_VALUES ? tooLarge(operation) : undefined;
}

/** Maximum number of values that all lists and objects in the variables may hold together. */
const MAX_VARIABLE_VALUES = 20_000;
/** Maximum depth to which variables may nest: whatever walks over them does so by recursion. */
const MAX_VARIABLE_DEPTH = 100;

/** Whether variables hold too many values, or nest too deep. */
function exceedsVariableLimits(variables: Variables): boolean {
  let count = 0;
  let level: object[] = [variables];
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: object[] = [];
    for (const value of level) {
      const items: unknown[] = Object.values(value);
      count += items.length;
      if (count > MAX_VARIABLE_VALUES || (items.length > 0 && depth === MAX_VARIABLE_DEPTH))
        return true;
      for (const item of items) if (isObject(item)) below.push(item);
    }
    level = below;
  }
  return false;
}

function variablesTooLarge(): GraphQLError {
  return operationTooLarge(
    `The variables hold more than ${MAX_VARIABLE_VALUES} values, or nest more than ${MAX_VARIABLE_DEPTH} levels deep.`,
  );
}

/** The error of an operation that asks for too much; `at`: where its document does. */
export function tooLarge(at: ASTNode): GraphQLError {
  const message = `The operation asks for more than ${MAX_FIELDS} fields (all operations of its document together) or ${MAX_VALUES} values. Select fewer fields, use a smaller "first", or ask for fewer days.`;
  return operationTooLarge(message, at);
}

/**
 * Returns how many values an operation gives at most: a number if that is few enough whatever the variables are, as it
 * mostly is, else a size that depends on them. Infinity if this operation, with those before it in the document,
 * selects too many fields.
 */
function sizeOf(
  { operation, selectionSet: set }: OperationDefinitionNode,
  reading: SelectionScope,
): Size {
  const type = reading.schema.getRootType(operation);
  const values = type ? valuesOf(type, [set], 1, reading) : 0;
  if (reading.left < 0) return Infinity;
  const max = maxOf(values);
  return max <= MAX_VALUES ? max : values;
}

/** Returns how many values there are below one object whose lists have `length` items. */
function valuesOf(
  parent: GraphQLCompositeType,
  sets: readonly SelectionSetNode[],
  length: Size,
  reading: SelectionScope,
): Size {
  let values: Size = 0;
  for (const { type, nodes } of selectFields(parent, sets, reading).fields) {
    if (reading.left < 0) return values;
    const [node] = nodes;
    const field = reading.schema.getField(type, node.name.value)!;
    const named = getNamedType(field.type);
    if (isCompositeType(named)) {
      const below = valuesOf(named, setsBelow(nodes), lengthBelow(field, node), reading);
      values = plus(values, times(lengthOf(type, field, node, length), below));
    } else values = plus(values, 1);
  }
  return values;
}

/** Returns how many objects a field gives. */
function lengthOf(
  parent: GraphQLCompositeType,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  length: Size,
): Size {
  if (!isListType(getNullableType(field.type))) return 1;
  if (isIntrospectionType(parent)) return ASSUMED_INTROSPECTION_LENGTH;
  if (field.args.some(({ name }) => name === 'ids')) return idsOf(node);
  if (parent.name.endsWith('Connection')) return length;
  return field.extensions['listLength'] === 'given'
    ? lengthWithin(length, node)
    : ASSUMED_LIST_LENGTH;
}
