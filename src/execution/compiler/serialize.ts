import {
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type Resources, UNLIMITED } from '../../graph/resources.ts';
import { mustWait } from '../../graph/time-slices.ts';
import { setCharactersLeftInPieces, TakesLonger } from '../../graph/answer-bytes.ts';
import {
  selectFields,
  type SelectedField,
  type SelectionScope,
  setsBelow,
} from '../../documents/selections.ts';
import { isObject } from '../../json.ts';
import { dependsOnVariables } from './inputs.ts';
import { isMemoizable, memoized } from './memo.ts';
import { listSerializer, nonNull, nullable, type Serialize, writeInPieces } from './writers.ts';

/**
 * Returns the serializer for the values of a field; undefined if the selections below the field need more
 * than reading properties: variables as arguments, directives, interfaces, or resolvers that take more than
 * their object and arguments.
 */
export function serializerOf(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  scope: SelectionScope,
): Serialize | undefined {
  if (isLeafType(type)) return nullable(leafSerializer(type));
  if (isObjectType(type)) return nullable(objectSerializer(type, nodes, scope));
  if (isListType(type)) return nullable(listSerializer(serializerOf(type.ofType, nodes, scope)));
  return isNonNullType(type) ? nonNull(serializerOf(type.ofType, nodes, scope)) : undefined;
}

function leafSerializer(type: GraphQLLeafType): Serialize {
  return (value) => {
    const coerced = type.coerceOutputValue(value);
    if (coerced === null || coerced === undefined) throw new TypeError('no value');
    return typeof coerced === 'number' ? String(coerced) : JSON.stringify(coerced);
  };
}

/** Objects with more properties are written in pieces if that takes long: aliases may repeat a long text endlessly. */
const MAX_PROPERTIES_AT_ONCE = 64;
/** How many characters an object's text grows between two bookings. */
const BOOK_EVERY = 4096;

type Source = Readonly<Record<string, unknown>>;

interface Property {
  /** `"name":` of the first, `,"name":` of the others. */
  prefix: string;
  read: (source: Source) => unknown;
  serialize: Serialize;
  /** Whether it has arguments: such a field may compute for long, and there may be many in a row. */
  mayCompute: boolean;
}

function objectSerializer(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  scope: SelectionScope,
): Serialize | undefined {
  const { fields, isConditional } = selectFields(type, setsBelow(nodes), scope);
  if (isConditional || scope.left < 0 || type.isTypeOf) return undefined;
  const properties: Property[] = [];
  for (const field of fields) {
    const reader = readerOf(type, field, scope);
    if (!reader) return undefined;
    const comma = properties.length === 0 ? '' : ',';
    properties.push({ prefix: `${comma}${JSON.stringify(field.responseName)}:`, ...reader });
  }
  if (isMemoizable(type, fields, properties)) return memoizedSerializer(properties);
  const all = (value: unknown, resources: Resources) =>
    objectText(sourceOf(value), properties, resources);
  const inPieces = (value: unknown, resources: Resources) =>
    objectPieces(sourceOf(value), properties, resources);
  const mayTakeLong =
    properties.length > MAX_PROPERTIES_AT_ONCE ||
    properties.some(({ serialize, mayCompute }) => serialize.inPieces || mayCompute);
  return Object.assign(all, { inPieces: mayTakeLong ? inPieces : undefined });
}

/** Returns a serializer for records without selections below their fields; the list around them books their text. */
function memoizedSerializer(properties: readonly Property[]): Serialize {
  const serialize = memoized((record) => objectText(sourceOf(record), properties, UNLIMITED));
  const all: Serialize = (value) => serialize(sourceOf(value));
  all.isConstant = true;
  return all;
}

function sourceOf(value: unknown): Source {
  if (isObject(value)) return value;
  throw new TypeError('not an object');
}

function objectText(source: Source, properties: readonly Property[], resources: Resources): string {
  const before = resources.characters;
  const isLong = properties.length > MAX_PROPERTIES_AT_ONCE;
  let text = '{';
  let bookAt = BOOK_EVERY;
  for (const { prefix, read, serialize, mayCompute } of properties) {
    text += prefix + serialize(read(source), resources);
    const mustBook = text.length > bookAt;
    if (mustBook) {
      setCharactersLeftInPieces(resources, before - text.length);
      bookAt = text.length + BOOK_EVERY;
    }
    if ((mayCompute || (isLong && mustBook)) && mustWait(resources)) throw new TakesLonger();
  }
  return `${text}}`;
}

function* objectPieces(
  source: Source,
  properties: readonly Property[],
  resources: Resources,
): Generator<void, string> {
  let text = '{';
  for (const { prefix, read, serialize, mayCompute } of properties) {
    const before = resources.characters;
    const written = yield* writeInPieces(serialize, read(source), resources);
    text += prefix + written;
    // What is written in pieces has been booked on the way.
    if (!serialize.inPieces)
      setCharactersLeftInPieces(resources, before - prefix.length - written.length);
    if (mayCompute || written.length > BOOK_EVERY) yield;
  }
  return `${text}}`;
}

function readerOf(
  type: GraphQLObjectType,
  { nodes }: SelectedField,
  scope: SelectionScope,
): Omit<Property, 'prefix'> | undefined {
  if (nodes.some(({ directives }) => directives?.length)) return undefined;
  const name = nodes[0].name.value;
  if (name === '__typename')
    return {
      read: () => type.name,
      serialize: (value) => JSON.stringify(value),
      mayCompute: false,
    };
  const field = type.getFields()[name];
  const read = field && readOf(field, nodes[0]);
  const serialize = read && serializerOf(field.type, nodes, scope);
  return serialize && { read, serialize, mayCompute: field.args.length > 0 };
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** Whether a resolver takes only the object and arguments: then it can only read the object. */
const onlyReads = (resolve: Resolver): resolve is (source: unknown, args: unknown) => unknown =>
  resolve.length <= 2;

function readOf(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): Property['read'] | undefined {
  const { name, resolve, args } = field;
  if (dependsOnVariables(node)) return undefined;
  if (!resolve) return args.length > 0 ? undefined : (source) => source[name];
  if (!onlyReads(resolve)) return undefined;
  const given = getArgumentValues(field, node);
  return (source) => resolve(source, given);
}
