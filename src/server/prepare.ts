import { type ExecutionArgs, getOperationAST, GraphQLError, type OperationTypeNode } from 'graphql';
import type { Context } from '../graph/context.ts';
import { type Maybe, whenReady } from '../graph/maybe.ts';
import type { Parameters } from './persisted/parameters.ts';
import type { Persisted } from './persisted/persisted.ts';
import type { Server } from './server.ts';

/** An operation that fits the schema, and how it runs: through all plugins, but without HTTP. */
export interface Prepared extends Pick<
  ReturnType<Server['getEnveloped']>,
  'execute' | 'subscribe'
> {
  args: ExecutionArgs;
  context: Context;
  kind: OperationTypeNode;
  /** Whether its client wants the text to be kept under its hash. */
  registers: boolean;
}

/** Gives the errors of an operation that cannot run: nothing has been spent by then. */
export type Prepare = (
  parameters: Parameters,
  clientName?: string,
) => Maybe<Prepared | readonly GraphQLError[]>;

export function createPrepare(server: Server, persisted: Pick<Persisted, 'resolve'>): Prepare {
  return (parameters, clientName) => {
    const resolved = persisted.resolve(parameters, clientName);
    if (resolved instanceof GraphQLError) return [resolved];
    const enveloped = server.getEnveloped({});
    const { schema, execute, subscribe } = enveloped;
    const document = attempt(() => enveloped.parse(resolved.query ?? ''));
    if (document instanceof GraphQLError) return [document];
    const errors = enveloped.validate(schema, document);
    if (errors.length > 0) return errors;
    const { operationName, variables } = parameters;
    const kind = getOperationAST(document, operationName)?.operation;
    if (!kind) return [noOperation()];
    const created: Maybe<Context> = enveloped.contextFactory();
    return whenReady(created, (context) => {
      const contextValue = context;
      const args = { schema, document, operationName, variableValues: variables, contextValue };
      return { args, execute, subscribe, context, kind, registers: 'registers' in resolved };
    });
  };
}

/** In the words of Yoga. */
function noOperation(): GraphQLError {
  return new GraphQLError('Could not determine what operation to execute.', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  });
}

function attempt<T>(run: () => T): T | GraphQLError {
  try {
    return run();
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}
