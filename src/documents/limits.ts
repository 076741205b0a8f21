import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  getNullableType,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  isCompositeType,
  isIntrospectionType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  validate,
  type ValidationRule,
} from 'graphql';
import { selectFields, type SelectionScope, setsBelow } from './selections.ts';

/**
 * How much an operation may ask for. A short text may ask for more than any memory holds: aliases
 * under lists under aliases multiply, and so do fragments.
 */
const MAX_FIELDS = 10_000;
const MAX_VALUES = 1_000_000;
/** The length of a page where no literal `first` or `last` tells it, and the longest there is. */
const PAGE_LENGTH = 100;
const MAX_PAGE_LENGTH = 500;
/** Of other lists, such as the rates of an event's currency; a field's extension may say otherwise. */
const LIST_LENGTH = 20;
/** Of the schema's own lists: the usual query about it has many in each other. */
const INTROSPECTION_LENGTH = 10;

/** What is wrong with a document: it does not fit the schema, or it is too large. */
export function errorsIn(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules?: readonly ValidationRule[],
): readonly GraphQLError[] {
  const errors = validate(schema, document, rules);
  if (errors.length > 0) return errors;
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  return operations.filter((operation) => isTooLarge(schema, document, operation)).map(tooLarge);
}

function tooLarge(operation: OperationDefinitionNode): GraphQLError {
  const message = `The operation asks for more than ${MAX_FIELDS} fields or ${MAX_VALUES} values. Ask for fewer, or for shorter pages by a literal "first": without one a page counts ${PAGE_LENGTH}.`;
  return new GraphQLError(message, {
    nodes: operation,
    extensions: { code: 'OPERATION_TOO_LARGE' },
  });
}

function isTooLarge(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  { operation, selectionSet: set }: OperationDefinitionNode,
): boolean {
  const named = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const fragments = new Map(named.map((fragment) => [fragment.name.value, fragment]));
  const type = schema.getRootType(operation);
  const reading = { schema, fragments, left: MAX_FIELDS };
  const values = type ? valuesOf(type, [set], PAGE_LENGTH, reading) : 0;
  return reading.left < 0 || values > MAX_VALUES;
}

/** How many values there are below one object; if it is a connection, its lists have `page` nodes. */
function valuesOf(
  parent: GraphQLCompositeType,
  sets: readonly SelectionSetNode[],
  page: number,
  reading: SelectionScope,
): number {
  let values = 0;
  for (const { type, nodes } of selectFields(parent, sets, reading).fields) {
    if (reading.left < 0) return values;
    const [node] = nodes;
    const field = reading.schema.getField(type, node.name.value)!;
    const named = getNamedType(field.type);
    if (isCompositeType(named))
      values +=
        lengthOf(type, field, page) * valuesOf(named, setsBelow(nodes), pageOf(node), reading);
    else values += 1;
  }
  return values;
}

/** How many objects a field gives. */
function lengthOf(
  parent: GraphQLCompositeType,
  { type, extensions }: GraphQLField<unknown, unknown>,
  page: number,
): number {
  if (!isListType(getNullableType(type))) return 1;
  if (isIntrospectionType(parent)) return INTROSPECTION_LENGTH;
  if (parent.name.endsWith('Connection')) return page;
  const { listLength = LIST_LENGTH } = extensions;
  return Number(listLength);
}

function pageOf({ arguments: given = [] }: FieldNode): number {
  for (const { name, value } of given)
    if ((name.value === 'first' || name.value === 'last') && value.kind === Kind.INT)
      return Math.min(MAX_PAGE_LENGTH, Math.max(0, Number(value.value)));
  return PAGE_LENGTH;
}
