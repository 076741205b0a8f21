import {
  defaultFieldResolver,
  getNamedType,
  type GraphQLFieldResolver,
  GraphQLNonNull,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  type GraphQLSchema,
  isCompositeType,
  isNonNullType,
} from 'graphql';
import { type Resources, UNLIMITED } from '../../graph/resources.ts';
import { IsOver, setCharactersLeftInPieces, TakesLonger } from '../../graph/answer-bytes.ts';
import { mustWait, turnOf } from '../../graph/time-slices.ts';
import type { Context } from '../../graph/context.ts';
import type { Maybe } from '../../maybe.ts';
import { guarded, ignoreRejections, inTurn } from '../guard.ts';
import { writeInTurns } from '../pieces.ts';
import { type FieldConfigs, rebuild } from '../rebuild.ts';
import { compiledName, type RewrittenNode } from './compile.ts';
import { type Serialize, writeInPieces } from './writers.ts';

/** The schema on which compiled queries run. */

/** Thrown if an object differs from what the schema promises. */
export class CannotSerialize extends Error {}

type Resolver = GraphQLFieldResolver<unknown, Context | undefined>;

const Json = new GraphQLScalarType({ name: 'Json', coerceOutputValue: (text) => text });

/** Returns the schema with a compiled field beside each field that returns objects. */
export function extend(schema: GraphQLSchema): GraphQLSchema {
  return rebuild(schema, (parentType, configs) => {
    const fields: FieldConfigs = {};
    for (const [fieldName, field] of Object.entries(configs)) {
      const { type, resolve = defaultFieldResolver } = field;
      const own = { schema, parentType, fieldName, returnType: type };
      const withInfo = withOriginalInfo(resolve, own);
      const plain = field.resolve ? withInfo : defaultFieldResolver;
      fields[fieldName] = { ...field, resolve: guarded(plain, type) };
      if (isCompositeType(getNamedType(type)))
        fields[compiledName(fieldName)] = {
          ...field,
          type: isNonNullType(type) ? new GraphQLNonNull(Json) : Json,
          resolve: compiledResolver(withInfo),
        };
    }
    return fields;
  });
}

/**
 * Passes resolvers the `info` of the query as the client wrote it, so that no other code needs to know of
 * the rewritten one. Resolvers without a parameter for it are left as they are.
 */
function withOriginalInfo(
  resolve: Resolver,
  own: Pick<GraphQLResolveInfo, 'schema' | 'parentType' | 'fieldName' | 'returnType'>,
): Resolver {
  if (resolve.length <= 3) return resolve;
  const { schema, parentType, fieldName, returnType } = own;
  return (source, args, context, info) => {
    const { nodes = info.fieldNodes, operation = info.operation } = originalOf(info) ?? {};
    return resolve(source, args, context, {
      fieldName,
      fieldNodes: nodes,
      returnType,
      parentType,
      path: info.path,
      schema,
      fragments: info.fragments,
      rootValue: info.rootValue,
      operation,
      variableValues: info.variableValues,
      getAbortSignal: info.getAbortSignal,
      getAsyncHelpers: info.getAsyncHelpers,
    });
  };
}

const originalOf = ({ fieldNodes: [first] }: GraphQLResolveInfo) =>
  (first as RewrittenNode).original;

/** Returns the resolver of a compiled field. */
function compiledResolver(resolve: Resolver): Resolver {
  const counted = guarded(resolve, Json);
  return (source, args, context, info) => {
    const resources = context?.resources ?? UNLIMITED;
    const serialize = originalOf(info)!.serialize!;
    const write = (value: unknown) => serializeWithin(value, serialize, resources);
    const resolveAndWrite = () => inTurn(counted(source, args, context, info), resources, write);
    return mustWait(resources) ? turnOf(resources).then(resolveAndWrite) : resolveAndWrite();
  };
}

/** Writes a value at once, or in pieces if that takes too long. */
function serializeWithin(
  value: unknown,
  serialize: Serialize,
  resources: Resources,
): Maybe<string> {
  const before = resources.characters;
  try {
    const text = serialize(value, resources);
    setCharactersLeftInPieces(resources, before - text.length);
    return text;
  } catch (cause) {
    if (cause instanceof IsOver) return new Promise(() => undefined);
    if (cause instanceof TakesLonger) {
      resources.characters = before;
      const writer = writeInPieces(serialize, value, resources);
      return writeInTurns(writer, resources).catch((error: unknown) =>
        cannotSerialize(value, error),
      );
    }
    return cannotSerialize(value, cause);
  }
}

function cannotSerialize(value: unknown, cause: unknown): never {
  // Rejections that matter come up again in the second run.
  ignoreRejections(value);
  throw new CannotSerialize('cannot be serialized', { cause });
}
