import {
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import {
  selectFields,
  type SelectedField,
  type SelectionScope,
  setsBelow,
} from '../../documents/selections.ts';

/**
 * Turns a resolved value into the JSON text that graphql-js would put into the response. Throws where
 * the value is not what its type promises, or still a promise: then graphql-js has to run the query.
 */
export type Serialise = (value: unknown) => string;

/**
 * The serialiser for the values of a field. Undefined if what is selected below the field needs more
 * than reading properties: arguments, directives, interfaces, or resolvers that take more than their
 * object.
 */
export function serialiserOf(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  scope: SelectionScope,
): Serialise | undefined {
  if (isLeafType(type)) return nullable(leafSerialiser(type));
  if (isObjectType(type)) return nullable(objectSerialiser(type, nodes, scope));
  if (isListType(type)) return nullable(listSerialiser(serialiserOf(type.ofType, nodes, scope)));
  return isNonNullType(type) ? nonNull(serialiserOf(type.ofType, nodes, scope)) : undefined;
}

const NULL = 'null';

function nullable(serialise: Serialise | undefined): Serialise | undefined {
  return (
    serialise &&
    ((value) => {
      if (value === null || value === undefined) return NULL;
      if (value instanceof Promise || value instanceof Error) throw new TypeError('no value yet');
      return serialise(value);
    })
  );
}

function nonNull(serialise: Serialise | undefined): Serialise | undefined {
  return (
    serialise &&
    ((value) => {
      const text = serialise(value);
      if (text === NULL) throw new TypeError('null for a non-null type');
      return text;
    })
  );
}

function listSerialiser(serialise: Serialise | undefined): Serialise | undefined {
  return (
    serialise &&
    ((value) => {
      if (!Array.isArray(value)) throw new TypeError('not a list');
      let text = '[';
      for (const item of value) text += (text === '[' ? '' : ',') + serialise(item);
      return `${text}]`;
    })
  );
}

function leafSerialiser(type: GraphQLLeafType): Serialise {
  return (value) => {
    const coerced = type.coerceOutputValue(value);
    if (coerced === null || coerced === undefined) throw new TypeError('no value');
    return typeof coerced === 'number' ? String(coerced) : JSON.stringify(coerced);
  };
}

type Source = Readonly<Record<string, unknown>>;

function isSource(value: unknown): value is Source {
  return typeof value === 'object' && value !== null;
}

interface Property {
  /** `"name":` of the first, `,"name":` of the others. */
  prefix: string;
  read: (source: Source) => unknown;
  serialise: Serialise;
}

function objectSerialiser(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  scope: SelectionScope,
): Serialise | undefined {
  const { fields, isConditional } = selectFields(type, setsBelow(nodes), scope);
  if (isConditional || scope.left < 0 || type.isTypeOf) return undefined;
  const properties: Property[] = [];
  for (const field of fields) {
    const reader = readerOf(type, field, scope);
    if (!reader) return undefined;
    const comma = properties.length === 0 ? '' : ',';
    properties.push({ prefix: `${comma}${JSON.stringify(field.responseName)}:`, ...reader });
  }
  const all = (source: Source) => objectText(source, properties);
  const serialise = isMemoisable(type, fields, properties) ? memoised(all) : all;
  return (value) => {
    if (!isSource(value)) throw new TypeError('not an object');
    return serialise(value);
  };
}

function objectText(source: Source, properties: readonly Property[]): string {
  let text = '{';
  for (const { prefix, read, serialise } of properties) text += prefix + serialise(read(source));
  return `${text}}`;
}

function readerOf(
  type: GraphQLObjectType,
  { nodes }: SelectedField,
  scope: SelectionScope,
): Omit<Property, 'prefix'> | undefined {
  if (nodes.some(({ directives }) => directives?.length)) return undefined;
  const name = nodes[0].name.value;
  if (name === '__typename') return { read: () => type.name, serialise: JSON.stringify };
  const field = type.getFields()[name];
  const read = field && readOf(field);
  const serialise = read && serialiserOf(field.type, nodes, scope);
  return serialise && { read, serialise };
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** A resolver that takes nothing but the object can do nothing but read it. */
const takesOnlySource = (resolve: Resolver): resolve is (source: unknown) => unknown =>
  resolve.length <= 1;

function readOf(field: GraphQLField<unknown, unknown>): Property['read'] | undefined {
  const { name, resolve, args } = field;
  if (args.length > 0) return undefined;
  if (!resolve) return (source) => source[name];
  return takesOnlySource(resolve) ? (source) => resolve(source) : undefined;
}

/** The longest sum of prefixes that is memoised; all fields of the largest record have less. */
const MAX_PREFIXES = 400;

/**
 * Only the text of records, the objects with an id, is memoised: they never change and stay in the
 * cache. So that a text does not outgrow its record, each field may be selected once (aliases could
 * repeat it without end), with nothing below it.
 */
function isMemoisable(
  type: GraphQLObjectType,
  fields: readonly SelectedField[],
  properties: readonly Property[],
): boolean {
  const isRecord = type.getInterfaces().some(({ name }) => name === 'Node');
  const isFlat = fields.every(({ nodes: [{ selectionSet }] }) => !selectionSet);
  const names = new Set(fields.map(({ nodes: [{ name }] }) => name.value));
  const prefixes = properties.reduce((sum, { prefix }) => sum + prefix.length, 0);
  return isRecord && isFlat && names.size === fields.length && prefixes <= MAX_PREFIXES;
}

/** The text of a record, by the serialiser that made it, and the one made before. */
interface Memo {
  by: (record: Source) => string;
  text: string;
  before: Omit<Memo, 'before'> | undefined;
}

const memos = new WeakMap<object, Memo>();

/** Keeps the last two texts of a record as long as the record: the cache counts them in its size. */
function memoised(serialise: (record: Source) => string): (record: Source) => string {
  return (record) => {
    const memo = memos.get(record);
    if (memo?.by === serialise) return memo.text;
    if (memo?.before?.by === serialise) return memo.before.text;
    // A text put together of many pieces keeps all of them in memory; `join` makes it one piece.
    const text = [serialise(record)].join('');
    const before = memo && { by: memo.by, text: memo.text };
    memos.set(record, { by: serialise, text, before });
    return text;
  };
}
