import {
  type FieldNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { remembered } from './remembered.ts';
import { fieldsOf, type Reading, type Selected, setsBelow } from './selection.ts';

/**
 * Makes of a resolved value the JSON text that the response holds. Throws where the value is not what
 * its type promises, or not here yet: graphql-js knows what to make of that.
 */
export type Project = (value: unknown) => string;

/** What becomes of the values of a field; undefined where that is no projection. */
export function projectionOf(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  reading: Reading,
): Project | undefined {
  if (isLeafType(type)) return orNull(leafOf(type));
  if (isObjectType(type)) return orNull(objectOf(type, nodes, reading));
  if (isListType(type)) return orNull(listOf(projectionOf(type.ofType, nodes, reading)));
  return isNonNullType(type) ? required(projectionOf(type.ofType, nodes, reading)) : undefined;
}

const NULL = 'null';

function orNull(project: Project | undefined): Project | undefined {
  return (
    project &&
    ((value) => {
      if (value === null || value === undefined) return NULL;
      if (value instanceof Promise || value instanceof Error) throw new TypeError('not here');
      return project(value);
    })
  );
}

function required(project: Project | undefined): Project | undefined {
  return (
    project &&
    ((value) => {
      const text = project(value);
      if (text === NULL) throw new TypeError('null where the type has none');
      return text;
    })
  );
}

function listOf(project: Project | undefined): Project | undefined {
  return (
    project &&
    ((value) => {
      if (!Array.isArray(value)) throw new TypeError('no list');
      let text = '[';
      for (const item of value) text += (text === '[' ? '' : ',') + project(item);
      return `${text}]`;
    })
  );
}

function leafOf(type: GraphQLLeafType): Project {
  return (value) => {
    const coerced = type.coerceOutputValue(value);
    if (coerced === null || coerced === undefined) throw new TypeError('no value');
    return typeof coerced === 'number' ? String(coerced) : JSON.stringify(coerced);
  };
}

interface Property {
  /** `"name":` of the first, `,"name":` of the others. */
  prefix: string;
  read: (source: object) => unknown;
  project: Project;
}

function objectOf(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  reading: Reading,
): Project | undefined {
  const selected = fieldsOf(type, setsBelow(nodes), reading);
  if (!selected || type.isTypeOf) return undefined;
  const properties: Property[] = [];
  for (const [key, fields] of selected) {
    const reader = readerOf(type, fields, reading);
    if (!reader) return undefined;
    const prefix = `${properties.length === 0 ? '' : ','}${JSON.stringify(key)}:`;
    properties.push({ prefix, ...reader });
  }
  const write = (source: object) => objectText(source, properties);
  const project = isWorthIt(type, selected, properties) ? remembered(write) : write;
  return (value) => {
    if (typeof value !== 'object' || value === null) throw new TypeError('no object');
    return project(value);
  };
}

/** Of all prefixes together; those of the largest record with all its fields are shorter. */
const MAX_PREFIXES = 400;

/**
 * Only records stay, and a text must not outgrow its record: by aliases it could without end, so
 * each field counts once, and there is nothing below it.
 */
function isWorthIt(
  type: GraphQLObjectType,
  selected: Selected,
  properties: readonly Property[],
): boolean {
  const isRecord = type.getInterfaces().some(({ name }) => name === 'Node');
  const fields = [...selected.values()].map(([field]) => field!);
  const isFlat = fields.every(({ selectionSet }) => !selectionSet);
  const names = new Set(fields.map(({ name }) => name.value));
  const prefixes = properties.reduce((sum, { prefix }) => sum + prefix.length, 0);
  return isRecord && isFlat && names.size === fields.length && prefixes <= MAX_PREFIXES;
}

function objectText(source: object, properties: readonly Property[]): string {
  let text = '{';
  for (const { prefix, read, project } of properties) text += prefix + project(read(source));
  return `${text}}`;
}

function readerOf(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  reading: Reading,
): Omit<Property, 'prefix'> | undefined {
  if (nodes.some(({ directives }) => directives?.length)) return undefined;
  const name = nodes[0]!.name.value;
  if (name === '__typename') return { read: () => type.name, project: JSON.stringify };
  const field = type.getFields()[name];
  const read = field && readOf(field);
  const project = read && projectionOf(field.type, nodes, reading);
  return project && { read, project };
}

type Field = GraphQLField<unknown, unknown>;

/** A resolver that takes nothing but the object can do nothing but read it. */
function readOf({ name, resolve, args }: Field): Property['read'] | undefined {
  if (args.length > 0) return undefined;
  if (!resolve) return (source) => source[name as keyof typeof source];
  const read = resolve as (source: object) => unknown;
  return resolve.length <= 1 ? (source) => read(source) : undefined;
}
