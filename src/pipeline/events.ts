import { type ExecutionResult, GraphQLError } from 'graphql';
import { mapAsyncIterator } from 'graphql-yoga';
import type { CheckDocument } from '../documents/check.ts';
import { unexpected } from '../documents/refusals.ts';
import type { Execution } from '../execution/execute.ts';
import type { Context, Gateway } from '../graph/context.ts';
import { allotResources, type Turns } from '../graph/resources.ts';
import type { Maybe } from '../maybe.ts';
import { whenEnded } from '../shared/tasks.ts';
import { type TraceHeaders, traceHeadersIn } from '../trace.ts';
import type { Admitted } from './admit.ts';
import { checkInTurn, contextOf } from './begin.ts';
import type { Replies } from './reply.ts';
import type { OperationRequest } from './request.ts';
import { spenderOf } from './spender.ts';
import type { Notifier } from './notifier.ts';

/** The events of subscriptions. */

/**
 * What is kept of a subscription while it is open: only what its events need. Its parsed document would take many
 * times as much memory: all subscriptions with the same text share one for as long as it is cached.
 */
export interface Subscription
  extends
    Pick<OperationRequest, 'party' | 'client' | 'caller'>,
    Pick<Admitted, 'name' | 'operationName' | 'variableValues'> {
  text: string;
  traceHeaders: TraceHeaders;
}

/** Picks what is kept of a subscription from its request. */
export function subscriptionOf(
  { party, client, caller, traceHeaders }: OperationRequest,
  { name, operationName, variableValues }: Admitted,
  text: string,
): Subscription {
  const asked = { text, name, operationName, variableValues };
  return { ...asked, party, client, caller, traceHeaders: traceHeadersIn(traceHeaders) };
}

export interface EventsOptions {
  gateway: Gateway;
  checkDocument: CheckDocument;
  execution: Execution;
  replies: Replies;
  turns: Turns;
}

export function createEvents(options: EventsOptions, notifier: Notifier) {
  const { gateway, turns, checkDocument, execution, replies } = options;

  /**
   * Runs an event as an operation of its own: it loads fresh data, has an account of what it spends, and its client may
   * spend what the clients file allows at that moment.
   */
  async function runEvent(
    { party, name, text, traceHeaders, ...opened }: Subscription,
    execute: (context: Context) => Maybe<ExecutionResult>,
  ): Promise<ExecutionResult> {
    const startedAt = performance.now();
    const { caller } = opened;
    const client = caller?.latest() ?? opened.client;
    const spender = spenderOf({ client, caller }, name, text);
    const trace = gateway.beginTrace?.('operation', traceHeaders);
    const resources = allotResources(gateway.settings, turns, party);
    const about = { resources, spender, trace };
    const context = contextOf(gateway, { party, caller, isDry: false }, about);
    const { operation } = context;
    const done = await execute(context);
    await whenEnded(operation.underWay);
    const type = 'subscription' as const;
    const run = { startedAt, trace, type, name, operation, client };
    const end = { ...run, ...replies.account(done, run) };
    notifier.end(end);
    return { ...end.result, extensions: { ...end.extensions() } };
  }

  async function executeEvent(
    { text, operationName, variableValues }: Subscription,
    rootValue: unknown,
    contextValue: Context,
  ): Promise<ExecutionResult> {
    const { document } = await checkInTurn(checkDocument, text, contextValue.resources);
    const asked = { document: document!, operationName, variableValues };
    return execution.executeEvent({ ...asked, rootValue, contextValue });
  }

  /** Returns the events of a subscription, one for each value of its source. */
  return (subscription: Subscription, source: AsyncIterator<unknown>) =>
    mapAsyncIterator(
      source,
      (value) => runEvent(subscription, (context) => executeEvent(subscription, value, context)),
      // The source has failed for good: the last event says why.
      (error: unknown) => runEvent(subscription, () => ({ errors: [asGraphQLError(error)] })),
    );
}

function asGraphQLError(error: unknown): GraphQLError {
  return error instanceof GraphQLError ? error : unexpected();
}
