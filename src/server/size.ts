import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLSchema,
  isCompositeType,
  isIntrospectionType,
  isListType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/**
 * How much an operation may ask for. A short text may ask for more than any memory holds: aliases
 * under lists under aliases multiply, and so do fragments.
 */
const MAX_FIELDS = 10_000;
const MAX_VALUES = 1_000_000;
/** The length a list is taken to have, where no `first` or `last` says it. */
const LIST_LENGTH = 100;
/** The schema's own lists are short, and the usual query about it has many in each other. */
const INTROSPECTION_LENGTH = 10;

/** Field nodes with the type that they select from. */
type Selected = { node: FieldNode; type: GraphQLCompositeType }[];

/** Errors of the operations of a valid document that are too large; nothing has run by then. */
export function sizeErrors(schema: GraphQLSchema, document: DocumentNode): GraphQLError[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition);
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    const type = schema.getRootType(definition.operation);
    const set = definition.selectionSet;
    const values = type ? valuesOf([{ type, set }], { schema, fragments, left: MAX_FIELDS }) : 0;
    return values > MAX_VALUES ? [new GraphQLError(TOO_LARGE, { nodes: definition })] : [];
  });
}

const TOO_LARGE = `The operation asks for more than ${MAX_FIELDS} fields or ${MAX_VALUES} values, lists without "first" or "last" taken to be ${LIST_LENGTH} long.`;

interface Reading {
  schema: GraphQLSchema;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** How many more fields are looked at. */
  left: number;
}

interface Below {
  type: GraphQLCompositeType;
  set: SelectionSetNode;
}

/** Values below one object; `outer` is the field that gives it. Infinity for too many fields. */
function valuesOf(sets: readonly Below[], reading: Reading, outer?: FieldNode): number {
  let values = 0;
  for (const selected of fieldsOf(sets, reading).values()) {
    reading.left -= selected.length;
    if (reading.left < 0) return Infinity;
    const { node, type } = selected[0]!;
    const field = reading.schema.getField(type, node.name.value);
    const named = field && getNamedType(field.type);
    if (!isCompositeType(named)) {
      values += 1;
      continue;
    }
    const below = selected.flatMap(({ node: { selectionSet: set } }) =>
      set ? { type: named, set } : [],
    );
    const times = isListType(getNullableType(field?.type)) ? lengthOf(named, outer) : 1;
    values += times * valuesOf(below, reading, node);
  }
  return values;
}

/** `first` and `last` stand at the connection, around its lists. */
function lengthOf(type: GraphQLCompositeType, outer: FieldNode | undefined): number {
  if (isIntrospectionType(type)) return INTROSPECTION_LENGTH;
  for (const { name, value } of outer?.arguments ?? [])
    if ((name.value === 'first' || name.value === 'last') && value.kind === Kind.INT)
      return Number(value.value);
  return LIST_LENGTH;
}

/** By type and the name in the response, fragments opened: what is merged there counts once. */
function fieldsOf(sets: readonly Below[], { schema, fragments }: Reading): Map<string, Selected> {
  const selected = new Map<string, Selected>();
  const opened = new Set<string>();

  function open({ type, set }: Below): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const key = `${type.name} ${(selection.alias ?? selection.name).value}`;
        const known = selected.get(key);
        if (known) known.push({ node: selection, type });
        else selected.set(key, [{ node: selection, type }]);
        continue;
      }
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      const fragment = isSpread ? fragments.get(selection.name.value) : selection;
      if (!fragment || (isSpread && opened.has(selection.name.value))) continue;
      if (isSpread) opened.add(selection.name.value);
      const condition = schema.getType(fragment.typeCondition?.name.value ?? '');
      open({ type: isCompositeType(condition) ? condition : type, set: fragment.selectionSet });
    }
  }

  sets.forEach(open);
  return selected;
}
