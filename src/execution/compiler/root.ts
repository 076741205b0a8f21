import {
  type ExecutionArgs,
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  Kind,
  type VariableValues,
} from 'graphql';
import type { Context } from '../../graph/context.ts';
import { attempt, type Maybe, whenAll, whenReady } from '../../maybe.ts';
import { fragmentsOf, operationsOf } from '../../documents/selections.ts';
import type { CompiledQuery } from './compile.ts';
import {
  conditionOf,
  createReadArguments,
  createReadVariables,
  type ReadArguments,
} from './inputs.ts';

/**
 * Runs a query whose outermost fields are all compiled fields: of graphql-js, only the reading of variables and
 * arguments is needed then. A query that fails in any way is left to graphql-js, which runs it again and reports why.
 */

/** Returns the JSON text of the data; undefined if graphql-js has to run the query. Never rejects. */
export type RunRoot = (args: Args) => Maybe<string | undefined>;

type Args = Pick<ExecutionArgs, 'rootValue' | 'variableValues'> & {
  contextValue?: Context | undefined;
};

type Field = GraphQLField<unknown, unknown>;
type Info = GraphQLResolveInfo;

interface RootField {
  /** The beginning of its part of the text: its response name and a colon. */
  label: string;
  readArguments: ReadArguments;
  resolve: NonNullable<Field['resolve']>;
  /** The `info` of its resolver, without the parts that differ between requests. */
  info: Omit<Info, 'variableValues' | 'rootValue'>;
  /** Whether it is selected; undefined: always. */
  isSelected: ((variables: VariableValues) => boolean) | undefined;
}

/** Returns undefined if an outermost field is not compiled. `schema`: the extended one. */
export function createRunRoot(
  schema: GraphQLSchema,
  { document, jsonFields }: CompiledQuery,
): RunRoot | undefined {
  const operation = operationsOf(document)[0]!;
  const nodes = operation.selectionSet.selections.filter((node) => node.kind === Kind.FIELD);
  const byName = [...Map.groupBy(nodes, (node) => (node.alias ?? node.name).value)];
  if (byName.some(([name]) => jsonFields.get(name) !== 'json')) return undefined;
  // Resolvers read what is selected below them, fragments included.
  const fragments = Object.fromEntries(fragmentsOf(document));
  const fields = byName.flatMap(
    ([name, all]) => rootField(name, all, { operation, fragments, schema }) ?? [],
  );
  const readVariables = createReadVariables(schema, operation.variableDefinitions ?? []);
  return ({ rootValue, variableValues: inputs, contextValue }) => {
    const variableValues = readVariables(inputs ?? {});
    if (!variableValues) return undefined;
    const begin = ({ readArguments, resolve, info }: RootField) => {
      const args = readArguments(variableValues);
      const all = { ...info, rootValue, variableValues };
      return resolve(rootValue, args, contextValue, all) as Maybe<string>;
    };
    const selected = selectedOf(fields, variableValues);
    // All begin, even if one fails at once: what they want is asked for together.
    const texts = selected?.map((field) => attempt(() => begin(field)));
    return texts && whenReady(allOrNothing(texts), (done) => done && joinFields(selected!, done));
  };
}

/** Returns undefined if a condition is wrong: graphql-js reports why. */
function selectedOf(
  fields: readonly RootField[],
  variables: VariableValues,
): readonly RootField[] | undefined {
  try {
    return fields.filter(({ isSelected }) => !isSelected || isSelected(variables));
  } catch {
    return undefined;
  }
}

/** Returns undefined if one fails, but not before all have settled: those under way still book what they write. */
function allOrNothing(texts: readonly Maybe<string>[]): Maybe<readonly string[] | undefined> {
  const all = whenAll(texts);
  if (!(all instanceof Promise)) return all;
  return all.catch(async () => {
    await Promise.allSettled(texts);
    return undefined;
  });
}

function joinFields(fields: readonly RootField[], texts: readonly string[]): string {
  let text = '';
  for (const [i, { label }] of fields.entries())
    text += `${text && ','}${label}${texts[i] ?? 'null'}`;
  return `{${text}}`;
}

/** Returns undefined if the field is never selected. */
function rootField(
  name: string,
  nodes: readonly FieldNode[],
  { operation, fragments, schema }: Pick<Info, 'operation' | 'fragments' | 'schema'>,
): RootField | undefined {
  const node = nodes[0]!;
  const condition = conditionOf(node);
  if (condition === false) return undefined;
  const parentType = schema.getQueryType()!;
  const field = parentType.getFields()[node.name.value]!;
  const path = { prev: undefined, key: name, typename: parentType.name };
  return {
    label: `${JSON.stringify(name)}:`,
    readArguments: createReadArguments(field, node),
    resolve: field.resolve!,
    info: {
      fieldName: field.name,
      fieldNodes: nodes,
      returnType: field.type,
      parentType,
      path,
      schema,
      fragments,
      operation,
      getAbortSignal: () => undefined,
      getAsyncHelpers: () => ASYNC_HELPERS,
    },
    isSelected: condition === true ? undefined : condition,
  };
}

const ASYNC_HELPERS: ReturnType<Info['getAsyncHelpers']> = {
  promiseAll: (values) => Promise.all(values),
  track: () => undefined,
};
