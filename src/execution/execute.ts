import {
  createSourceEventStream,
  execute as executeOperation,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  GraphQLError,
  type GraphQLSchema,
  validateSubscriptionArgs,
} from 'graphql';
import { mapAsyncIterator } from 'graphql-yoga';
import { coded, unexpected } from '../documents/refusals.ts';
import type { Context } from '../graph/context.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import { withCompiledSelections } from './compiler/execute.ts';

type Events = AsyncIterableIterator<ExecutionResult>;

/** Runs one event of a subscription in a context of its own, and gives its result. */
export type RunEvent = (
  run: (context: Context) => Maybe<ExecutionResult>,
) => Promise<ExecutionResult>;

/** Runs operations by graphql-js. Their documents fit the schema; variables are checked here. */
export interface Execution {
  /** Queries. A result without data has not run: its variables were wrong. */
  execute(args: ExecutionArgs): Maybe<ExecutionResult>;
  /** Subscriptions: their events, or the errors because of which there are none. */
  subscribe(args: ExecutionArgs, runEvent: RunEvent): Promise<Events | ExecutionResult>;
}

export interface ExecutionOptions {
  schema: GraphQLSchema;
  /** Whether selections that only read objects are written as JSON at once, which is faster on lists. */
  compile: boolean;
}

export function createExecution({ schema, compile }: ExecutionOptions): Execution {
  const execute = compile ? withCompiledSelections(schema, executeOperation) : executeOperation;
  return {
    execute: (args) => whenReady(execute(args), codeVariableErrors),
    async subscribe(args, runEvent) {
      const validated = validateSubscriptionArgs(args);
      if (!('schema' in validated)) return codeVariableErrors({ errors: validated });
      const stream = await createSourceEventStream(validated);
      if (!(Symbol.asyncIterator in stream)) return stream;
      return mapAsyncIterator(
        stream[Symbol.asyncIterator](),
        (rootValue) =>
          runEvent((contextValue) =>
            executeSubscriptionEvent({ ...validated, rootValue, contextValue }),
          ),
        // The stream has failed for good: the last event says why.
        (error: unknown) => runEvent(() => ({ errors: [asGraphQLError(error)] })),
      );
    },
  };
}

function asGraphQLError(error: unknown): GraphQLError {
  return error instanceof GraphQLError ? error : unexpected();
}

function codeVariableErrors(result: ExecutionResult): ExecutionResult {
  if ('data' in result || !result.errors) return result;
  return { ...result, errors: result.errors.map((error) => coded('BAD_USER_INPUT', error)) };
}
