import {
  type FieldNode,
  type GraphQLFieldConfig,
  getNamedType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableOutputType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { twinOf } from '../graph/lookahead.ts';
import { whenReady } from '../graph/maybe.ts';
import type { Project } from './projection.ts';

/**
 * The schema that operations run on. Beside each field that gives objects stands a twin with the same
 * arguments and resolver, whose value is a leaf: the text that a projection made of the objects.
 */

/** What a twin makes of its values, by the field node that asks for it. */
export type Projections = WeakMap<FieldNode, Project>;

/** A value that cannot be projected: the operation has to be run as it was asked. */
export class Irregular extends Error {}

type FieldConfig = GraphQLFieldConfig<unknown, unknown>;
type FieldConfigs = Record<string, FieldConfig>;

const Projected = new GraphQLScalarType({ name: 'Projected', coerceOutputValue: (text) => text });

export function withTwins(schema: GraphQLSchema, projections: Projections): GraphQLSchema {
  const types = new Map<string, GraphQLObjectType>();

  function translate(type: GraphQLOutputType): GraphQLOutputType {
    return isNonNullType(type) ? new GraphQLNonNull(nullable(type.ofType)) : nullable(type);
  }

  function nullable(type: GraphQLNullableOutputType): GraphQLNullableOutputType {
    if (isListType(type)) return new GraphQLList(translate(type.ofType));
    return types.get(type.name) ?? type;
  }

  function fieldsFrom(configs: FieldConfigs): FieldConfigs {
    const fields: FieldConfigs = {};
    for (const [name, field] of Object.entries(configs)) {
      fields[name] = { ...field, type: translate(field.type) };
      if (isCompositeType(getNamedType(field.type)))
        fields[twinOf(name)] = twin(name, field, projections);
    }
    return fields;
  }

  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && !type.name.startsWith('__')) {
      const config = type.toConfig();
      const fields = () => fieldsFrom(config.fields);
      types.set(type.name, new GraphQLObjectType({ ...config, fields }));
    }
  return new GraphQLSchema({
    query: types.get(schema.getQueryType()?.name ?? ''),
    types: [...types.values()],
    directives: schema.getDirectives(),
    // It is made of one that has been checked.
    assumeValid: true,
  });
}

function twin(
  name: string,
  { type, resolve, ...field }: FieldConfig,
  projections: Projections,
): FieldConfig {
  return {
    ...field,
    type: isNonNullType(type) ? new GraphQLNonNull(Projected) : Projected,
    resolve(source, args, context, info) {
      const project = projections.get(info.fieldNodes[0]!)!;
      const value = resolve
        ? resolve(source, args, context, info)
        : (source as Record<string, unknown>)[name];
      return whenReady(value, (ready) => attempt(project, ready));
    },
  };
}

function attempt(project: Project, value: unknown): string {
  try {
    return project(value);
  } catch (cause) {
    ignoreFailures(value);
    throw new Irregular('cannot be projected', { cause });
  }
}

/** The operation is run again as it was asked: what fails later of this run fails there, too. */
function ignoreFailures(value: unknown): void {
  for (const item of Array.isArray(value) ? value : [])
    if (item instanceof Promise) item.catch(() => undefined);
}
