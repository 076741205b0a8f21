import { useEngine } from '@envelop/core';
import * as graphql from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { whenReady } from '../graph/maybe.ts';
import { createExecute } from '../projection/execute.ts';
import { coded, codeVariableErrors, withCode } from './codes.ts';
import { parseDocument } from './parse.ts';
import { sizeErrors } from './size.ts';
import { createSubscribe, type Surroundings } from './subscriptions.ts';

/**
 * Runs operations with graphql-js itself, which is faster on lists than Yoga's own executor, and
 * gives a code to the errors that the language's rules raise.
 */
export function useGraphQLEngine(schema: GraphQLSchema, surroundings: Surroundings) {
  const execute = createExecute(schema);
  const subscribe = createSubscribe(surroundings);
  return useEngine({
    parse: (text: string) => withCode('GRAPHQL_PARSE_FAILED', () => parseDocument(text)),
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
): readonly graphql.GraphQLError[] {
  const errors = graphql.validate(schema, document, rules);
  return errors.length > 0 ? errors : sizeErrors(schema, document);
}
