import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { CheckDocument } from '../documents/check.ts';
import type { Client } from '../clients/file.ts';
import type { Documents, Sender } from '../documents/documents.ts';
import type { Execution, RunEvent } from '../execution/execute.ts';
import {
  beginStretch,
  type Budget,
  type BudgetLimits,
  endStretchNow,
  isBusy,
  startBudget,
  turnOf,
  type Turns,
} from '../graph/budget.ts';
import type { Context, Gateway } from '../graph/context.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Trace } from '../trace.ts';
import { startEstimate } from '../usage/estimate.ts';
import { type Operation, type Spender, startOperation, whenDone } from '../usage/operation.ts';
import { admit } from './admit.ts';
import { errorsOf } from './errors.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { End, Replies } from './reply.ts';
import type { ObserveOperation, OperationEnd, OperationRequest, Reply } from './request.ts';
import { spenderOf } from './spender.ts';

/**
 * Takes an operation from its request to its reply, whichever transport it came in by. Rejects only
 * where not even the account can be told, as when the ledger's file cannot be read.
 */
export type Pipeline = (request: OperationRequest) => Maybe<Reply>;

export interface PipelineOptions {
  gateway: Gateway;
  keptAnswers: KeptAnswers;
  documents: Pick<Documents, 'find' | 'register'>;
  checkDocument: CheckDocument;
  execution: Execution;
  replies: Replies;
  settings: BudgetLimits & { maxRequestsPerOperation: number; operationTimeoutMs: number };
  turns: Turns;
  /** Undefined: nobody does. */
  observe: ObserveOperation | undefined;
  log: Logger;
}

const NO_ERRORS: readonly GraphQLError[] = [];

/** What is known so far of an operation on its way. */
interface Run extends Pick<End, 'name' | 'key' | 'isSameText'>, Pick<OperationEnd, 'type'> {
  startedAt: number;
  trace: Trace | undefined;
  client: Client | undefined;
  /** Once it is executed. */
  operation?: Operation;
}

export function createPipeline(options: PipelineOptions): Pipeline {
  const { keptAnswers, documents, checkDocument, execution, replies, observe } = options;
  const { beginTrace } = options.gateway;

  /** The steps, in order. Nothing is spent before `execute`. */
  return (request) => {
    const startedAt = observe ? performance.now() : 0;
    const trace = observe && beginTrace?.('operation', request.traceHeaders);
    const kept = request.key === undefined ? undefined : keptAnswers.find(request.key);
    if (kept) {
      const client = request.client?.name;
      observe?.({
        by: 'kept answer',
        type: 'query',
        name: kept.name,
        client,
        operation: undefined,
        hits: kept.parts.size,
        served: kept.served,
        errors: NO_ERRORS,
        trace,
        startedAt,
      });
      return replies.ofKept(kept, request.client);
    }
    const run: Run = { startedAt, trace, client: request.client };
    const finish = (result: ExecutionResult) => {
      const end = account(result, run);
      const reply = replies.encode(request, end);
      tell(end, run);
      return reply;
    };
    const fail = (error: unknown) => finish({ errors: errorsOf(error, options.log) });
    try {
      const { operationName, variables: variableValues, ...sent } = request.read();
      const { text, registers, isCurrent } = documents.find(sent, senderOf(request));
      const asked = { operationName, variableValues };
      const budget = startBudget(options.settings, options.turns, request.party);
      const check = () => timed(budget, () => checkDocument(text));
      const checked = checkDocument.mustWait(text, isBusy(options.turns))
        ? turnOf(budget).then(check)
        : check();
      const reply = whenReady(checked, (known) => {
        const { document, type, name } = admit(known, asked, request);
        // A kept answer would be sent the next time without registering the text.
        if (registers) documents.register(registers, text, request.party);
        else run.key = request.key;
        run.isSameText = isCurrent;
        const spender = spenderOf(request, name, text);
        const contextValue = begin(options, request, { budget, spender, trace });
        Object.assign(run, { type, name, operation: contextValue.operation });
        const args = { document, operationName, variableValues, contextValue };
        const outcome =
          type === 'subscription'
            ? execution.subscribe(args, runEvent(name, request, spender))
            : execution.execute(args);
        return whenReady(outcome, (result): Maybe<Reply> => {
          if (Symbol.asyncIterator in result) return { kind: 'events', events: result };
          return whenReady(settled(contextValue.operation), () => finish(result));
        });
      });
      return reply instanceof Promise ? reply.catch(fail) : reply;
    } catch (error) {
      return fail(error);
    }
  };

  function account(result: ExecutionResult, run: Run): End {
    return { ...run, ...replies.account(result, run.operation, run.client) };
  }

  /** Tells who observes that an operation is over. */
  function tell({ result: { errors = [] } }: End, run: Run): void {
    const { operation, type, name, trace, startedAt } = run;
    const client = run.client?.name;
    if (errors.some(({ extensions }) => extensions['code'] === 'UPSTREAM_BUDGET_EXCEEDED'))
      options.log.warn({ name, max: operation?.maxRequests }, OVER_BUDGET);
    const by = operation ? 'execution' : 'refusal';
    const { cacheHits: hits = 0, served = [] } = operation ?? {};
    observe?.({ by, type, name, client, operation, hits, served, errors, trace, startedAt });
  }

  /** Every event is an operation of its own: what it loads is fresh, and what it spends is told. */
  function runEvent(
    name: string | undefined,
    request: OperationRequest,
    spender: Spender,
  ): RunEvent {
    return async (execute) => {
      const startedAt = performance.now();
      const trace = observe && beginTrace?.('operation', request.traceHeaders);
      const budget = startBudget(options.settings, options.turns, request.party);
      const context = begin(options, { ...request, isDry: false }, { budget, spender, trace });
      const { operation } = context;
      const done = await execute(context);
      await whenDone(operation);
      const type = 'subscription' as const;
      const run = { startedAt, trace, type, name, operation, client: request.client };
      const end = account(done, run);
      tell(end, run);
      return { ...end.result, extensions: { ...end.extensions } };
    };
  }
}

const OVER_BUDGET =
  'an operation needed more upstream requests than MAX_UPSTREAM_REQUESTS_PER_OPERATION';

/** Books how long a task takes. */
function timed<T>(budget: Budget, task: () => T): T {
  beginStretch(budget);
  const result = task();
  endStretchNow(budget);
  return result;
}

const senderOf = ({ clientName, client }: OperationRequest): Sender => ({
  clientName,
  persistedOnly: client?.persistedOnly ?? false,
});

/** The context of a new operation. */
function begin(
  { gateway, settings }: PipelineOptions,
  { party, client, isDry, following }: OperationRequest,
  { budget, ...about }: { budget: Budget; spender: Spender; trace: Trace | undefined },
): Context {
  const { maxRequestsPerOperation: maxRequests, operationTimeoutMs } = settings;
  const deadline = gateway.monotonic() + operationTimeoutMs;
  const estimate = isDry ? startEstimate() : undefined;
  const maxUnits = client?.maxUnitsPerOperation;
  const operation = startOperation({ maxRequests, maxUnits, deadline, estimate, party, ...about });
  return { gateway, operation, budget, whenRevoked: following?.whenRevoked };
}

/** A field may have failed while another request that the operation started is still on its way. */
function settled(operation: Operation): Maybe<void> {
  return operation.underWay.size > 0 ? whenDone(operation) : undefined;
}
