import { mapAsyncIterator } from '@envelop/core';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  GraphQLError,
  validateSubscriptionArgs,
} from 'graphql';
import type { Context } from '../graph/context.ts';
import { whenDone } from '../usage/operation.ts';
import { codeVariableErrors } from './codes.ts';

export interface Surroundings {
  /** Every event is an operation of its own: what it loads is fresh, and what it spends is told. */
  begin(): Context;
  /** The account of an event, as every response carries it. */
  account(result: ExecutionResult, context: Context): ExecutionResult;
}

/** Runs subscriptions: like graphql-js, but with a context of its own for each event. */
export function createSubscribe({ begin, account }: Surroundings) {
  return async (args: ExecutionArgs, { operation }: Context) => {
    if (operation.estimate)
      return { errors: [noDryRun('A subscription has no end, and so no price')] };
    const validated = validateSubscriptionArgs(args);
    if (!('schema' in validated)) return codeVariableErrors({ errors: validated });
    const stream = await createSourceEventStream(validated);
    if (!(Symbol.asyncIterator in stream)) return stream;
    return mapAsyncIterator(stream[Symbol.asyncIterator](), async (rootValue) => {
      const contextValue = begin();
      const event = { ...validated, rootValue, contextValue };
      const result = await executeSubscriptionEvent(event);
      await whenDone(contextValue.operation);
      return account(result, contextValue);
    });
  };
}

/** A dry run that is asked for where there is none must not become an operation that spends. */
export function noDryRun(reason: string): GraphQLError {
  return new GraphQLError(`${reason}: ask for a dry run of a query over HTTP.`, {
    extensions: { code: 'DRY_RUN_UNSUPPORTED', http: { status: 400, spec: true } },
  });
}
