import { useEngine } from '@envelop/core';
import * as graphql from 'graphql';
import type { DocumentNode, ExecutionArgs, GraphQLSchema } from 'graphql';
import { whenReady } from '../graph/maybe.ts';
import { withCompiledSelections } from '../execution/compiler/execute.ts';
import { coded, codeVariableErrors, withCode } from './codes.ts';
import { parseDocument } from './parse.ts';
import { errorsIn } from './size.ts';
import { createSubscribe, type Surroundings } from './subscriptions.ts';

/**
 * Runs operations with graphql-js itself, which is faster on lists than Yoga's own executor, and
 * gives a code to the errors that the language's rules raise.
 */
export function useGraphQLEngine(
  schema: GraphQLSchema,
  surroundings: Surroundings,
  compile: boolean,
) {
  const execute = compile ? withCompiledSelections(schema, graphql.execute) : graphql.execute;
  const subscribe = createSubscribe(surroundings);
  return useEngine({
    parse: (text: string) => withCode('GRAPHQL_PARSE_FAILED', () => parseDocument(text)),
    validate: (target: GraphQLSchema, document: DocumentNode, rules) =>
      errorsIn(target, document, rules).map((error) => coded('GRAPHQL_VALIDATION_FAILED', error)),
    execute: (args: ExecutionArgs) => whenReady(execute(args), codeVariableErrors),
    subscribe: (args) => subscribe(args, args.contextValue),
  });
}
