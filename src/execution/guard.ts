import {
  defaultFieldResolver,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  getNamedType,
  getNullableType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableOutputType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type Budget, mustWait, takeValues, turnOf, UNLIMITED } from '../graph/budget.ts';
import type { Context } from '../graph/context.ts';
import type { Maybe } from '../maybe.ts';

/**
 * Keeps execution by graphql-js within an operation's budget (graph/budget.ts). graphql-js completes
 * all that is there at once, however much that is, unless it has to wait for a promise: fields
 * and items of lists become promises once the operation has held the process long enough.
 */

/** Without a context nothing is limited. */
type Resolver = GraphQLFieldResolver<unknown, Context | undefined>;
export type FieldConfigs = Record<string, GraphQLFieldConfig<unknown, Context | undefined>>;

/** An operation that is over is never completed: whoever waits for it has been told (execute.ts). */
const never = () => new Promise<never>(() => undefined);

/** An error, with its stack, its place and its text, takes as long as so many values. */
const VALUES_PER_ERROR = 200;

/** Books an error, and tells it in the operation's turn. */
function fail(error: unknown, budget: Budget): Promise<never> {
  if (!takeValues(budget, VALUES_PER_ERROR)) return never();
  if (!mustWait(budget)) throw error;
  return turnOf(budget).then(() => {
    throw error;
  });
}

/** The same value; if it turns out to be an error, that is booked. */
function withErrorsBooked(value: unknown, budget: Budget): unknown {
  return value instanceof Promise ? value.catch((error: unknown) => fail(error, budget)) : value;
}

/** The same resolver within the budget of its operation. */
export function guarded(original: Resolver, type: GraphQLOutputType): Resolver {
  const resolve: Resolver = (source, args, context, info) => {
    const budget = context?.budget ?? UNLIMITED;
    try {
      return withErrorsBooked(original(source, args, context, info), budget);
    } catch (error) {
      return fail(error, budget);
    }
  };
  if (!isCompositeType(getNamedType(type)))
    return (source, args, context, info) =>
      takeValues(context?.budget ?? UNLIMITED, 1) ? resolve(source, args, context, info) : never();
  const isList = isListType(getNullableType(type));
  return (source, args, context, info) => {
    const budget = context?.budget ?? UNLIMITED;
    const use = (value: unknown) => (isList ? paced(value, budget) : value);
    if (!takeValues(budget, 1)) return never();
    if (mustWait(budget))
      return turnOf(budget).then(() => inTurn(resolve(source, args, context, info), budget, use));
    return inTurn(resolve(source, args, context, info), budget, use);
  };
}

/** Uses a value at once where it is here, and else in the operation's turn. */
export function inTurn<T>(
  value: unknown,
  budget: Budget,
  use: (value: unknown) => Maybe<T>,
): Maybe<T> {
  if (!(value instanceof Promise)) return use(value);
  return value.then((ready: unknown) =>
    mustWait(budget) ? turnOf(budget).then(() => use(ready)) : use(ready),
  );
}

/** A list whose items come in the operation's turn. */
function paced(list: unknown, budget: Budget): unknown {
  if (!Array.isArray(list) || budget === UNLIMITED) return list;
  return takeValues(budget, list.length) ? itemsInTurn(list, budget) : never();
}

const itself = (value: unknown) => value;

function* itemsInTurn(list: readonly unknown[], budget: Budget): Generator {
  for (const item of list) {
    if (item instanceof Promise) yield inTurn(withErrorsBooked(item, budget), budget, itself);
    else yield mustWait(budget) ? turnOf(budget).then(() => item) : item;
  }
}

/** The same schema with guarded resolvers, for execution only: clients see the original. */
export function guardSchema(schema: GraphQLSchema): GraphQLSchema {
  return rebuild(schema, (_type, configs) => {
    const fields: FieldConfigs = {};
    for (const [name, field] of Object.entries(configs))
      fields[name] = {
        ...field,
        resolve: guarded(field.resolve ?? defaultFieldResolver, field.type),
      };
    return fields;
  });
}

/** A schema with the same types, whose objects have the fields that `fieldsOf` gives. */
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
    // It is made of a schema that has been checked.
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
