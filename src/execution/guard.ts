import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  getNamedType,
  getNullableType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isCompositeType,
  isListType,
} from 'graphql';
import { type Resources, takeValues, UNLIMITED } from '../graph/resources.ts';
import { mustWait, turnOf } from '../graph/time-slices.ts';
import type { Context } from '../graph/context.ts';
import type { Maybe } from '../maybe.ts';
import { type FieldConfigs, rebuild } from './rebuild.ts';

/**
 * Keeps execution by graphql-js within an operation's resources (graph/resources.ts). graphql-js completes
 * all values that are ready in one go, however many they are, unless it has to wait for a promise: so fields
 * and list items become promises once the operation has held the process long enough.
 */

/** A resolver; without a context nothing is limited. */
type Resolver = GraphQLFieldResolver<unknown, Context | undefined>;

/** The execution of an operation that is over never completes: its result has been returned already (execute.ts). */
const never = () => new Promise<never>(() => undefined);

/** How many values an error counts as: its stack, location and text take as long as so many. */
const VALUES_PER_ERROR = 200;

/** Books an error, and throws it in the operation's turn. */
function fail(error: unknown, resources: Resources): Promise<never> {
  if (!takeValues(resources, VALUES_PER_ERROR)) return never();
  if (!mustWait(resources)) throw error;
  return turnOf(resources).then(() => {
    throw error;
  });
}

/** Returns the same value; if it is a promise that rejects, the error is booked. */
function withErrorsBooked(value: unknown, resources: Resources): unknown {
  return value instanceof Promise ? value.catch((error: unknown) => fail(error, resources)) : value;
}

/** Returns the same resolver, kept within the resources of its operation. */
export function guarded(original: Resolver, type: GraphQLOutputType): Resolver {
  const resolve: Resolver = (source, args, context, info) => {
    const resources = context?.resources ?? UNLIMITED;
    try {
      return withErrorsBooked(original(source, args, context, info), resources);
    } catch (error) {
      return fail(error, resources);
    }
  };
  if (!isCompositeType(getNamedType(type)))
    return (source, args, context, info) =>
      takeValues(context?.resources ?? UNLIMITED, 1)
        ? resolve(source, args, context, info)
        : never();
  const isList = isListType(getNullableType(type));
  return (source, args, context, info) => {
    const resources = context?.resources ?? UNLIMITED;
    const use = (value: unknown) => (isList ? paced(value, resources) : value);
    if (!takeValues(resources, 1)) return never();
    if (mustWait(resources))
      return turnOf(resources).then(() =>
        inTurn(resolve(source, args, context, info), resources, use),
      );
    return inTurn(resolve(source, args, context, info), resources, use);
  };
}

/** Uses a value at once if it is ready; otherwise once it is, in the operation's turn. */
export function inTurn<T>(
  value: unknown,
  resources: Resources,
  use: (value: unknown) => Maybe<T>,
): Maybe<T> {
  if (!(value instanceof Promise)) return use(value);
  return value.then((ready: unknown) =>
    mustWait(resources) ? turnOf(resources).then(() => use(ready)) : use(ready),
  );
}

/** Returns the list with items that are released in the operation's turns. */
function paced(list: unknown, resources: Resources): unknown {
  if (!Array.isArray(list) || resources === UNLIMITED) return list;
  if (takeValues(resources, list.length)) return itemsInTurn(list, resources);
  ignoreRejections(list);
  return never();
}

/** Handles rejections in a list whose items are not awaited: an unhandled one would end the process. */
export function ignoreRejections(list: unknown): void {
  for (const item of Array.isArray(list) ? list : [])
    if (item instanceof Promise) item.catch(() => undefined);
}

const identity = (value: unknown) => value;

function* itemsInTurn(list: readonly unknown[], resources: Resources): Generator {
  for (const item of list) {
    if (item instanceof Promise)
      yield inTurn(withErrorsBooked(item, resources), resources, identity);
    else yield mustWait(resources) ? turnOf(resources).then(() => item) : item;
  }
}

/** Returns the same schema with guarded resolvers, for execution only: clients see the original. */
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
