import {
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableOutputType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Context } from '../graph/context.ts';

export type FieldConfigs = Record<string, GraphQLFieldConfig<unknown, Context | undefined>>;

/** Returns a schema with the same types, whose objects have the fields that `fieldsOf` returns. */
export function rebuild(
  schema: GraphQLSchema,
  fieldsOf: (type: GraphQLObjectType, configs: FieldConfigs) => FieldConfigs,
): GraphQLSchema {
  const types = new Map<string, GraphQLObjectType>();
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && !type.name.startsWith('__')) {
      const config = type.toConfig();
      const fields = () => withTypes(fieldsOf(type, config.fields), types);
      types.set(type.name, new GraphQLObjectType({ ...config, fields }));
    }
  const rootOf = (root: GraphQLObjectType | null | undefined) => root && types.get(root.name);
  return new GraphQLSchema({
    ...schema.toConfig(),
    query: rootOf(schema.getQueryType()),
    mutation: rootOf(schema.getMutationType()),
    subscription: rootOf(schema.getSubscriptionType()),
    types: [...types.values()],
    // The original schema has been validated.
    assumeValid: true,
  });
}

type Types = ReadonlyMap<string, GraphQLObjectType>;

function withTypes(configs: FieldConfigs, types: Types): FieldConfigs {
  const fields: FieldConfigs = {};
  for (const [name, field] of Object.entries(configs))
    fields[name] = { ...field, type: rebuiltType(field.type, types) };
  return fields;
}

function rebuiltType(type: GraphQLOutputType, types: Types): GraphQLOutputType {
  if (isNonNullType(type)) return new GraphQLNonNull(rebuiltNullable(type.ofType, types));
  return rebuiltNullable(type, types);
}

function rebuiltNullable(type: GraphQLNullableOutputType, types: Types): GraphQLNullableOutputType {
  if (isListType(type)) return new GraphQLList(rebuiltType(type.ofType, types));
  return types.get(type.name) ?? type;
}
