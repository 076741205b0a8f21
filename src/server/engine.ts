import { useEngine } from '@envelop/core';
import * as graphql from 'graphql';
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { whenReady } from '../graph/maybe.ts';
import { createExecute } from '../projection/execute.ts';
import { sizeErrors } from './size.ts';
import { createSubscribe, type Surroundings } from './subscriptions.ts';

/** A document longer than this is no query that somebody wrote. */
export const MAX_TOKENS = 10_000;

/**
 * Runs operations with graphql-js itself, which is faster on lists than Yoga's own executor, and
 * gives a code to the errors that the language's rules raise.
 */
export function useGraphQLEngine(schema: GraphQLSchema, surroundings: Surroundings) {
  const execute = createExecute(schema);
  const subscribe = createSubscribe(surroundings);
  return useEngine({
    parse: (source: string) =>
      withCode('GRAPHQL_PARSE_FAILED', () => graphql.parse(source, { maxTokens: MAX_TOKENS })),
    validate: (target: GraphQLSchema, document: graphql.DocumentNode, rules) =>
      errorsOf(target, document, rules).map((error) => coded('GRAPHQL_VALIDATION_FAILED', error)),
    execute: (args: graphql.ExecutionArgs) => whenReady(execute(args), codeVariableErrors),
    subscribe: (args) => subscribe(args, args.contextValue),
  });
}

/** What is not valid has no size. */
function errorsOf(
  schema: GraphQLSchema,
  document: graphql.DocumentNode,
  rules?: readonly graphql.ValidationRule[],
): readonly GraphQLError[] {
  const errors = graphql.validate(schema, document, rules);
  return errors.length > 0 ? errors : sizeErrors(schema, document);
}

function withCode<T>(code: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof GraphQLError ? coded(code, error) : error;
  }
}

function coded(code: string, error: GraphQLError): GraphQLError {
  if (error.extensions['code'] !== undefined) return error;
  const { nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(error.message, {
    nodes,
    source,
    positions,
    path,
    originalError,
    // 400 in GraphQL's own media type, as for all that is not executed.
    extensions: { http: { status: 400, spec: true }, ...extensions, code },
  });
}

/** A result without data comes from wrong variables: nothing has run. */
function codeVariableErrors(result: ExecutionResult): ExecutionResult {
  if ('data' in result || !result.errors) return result;
  return { ...result, errors: result.errors.map((error) => coded('BAD_USER_INPUT', error)) };
}
