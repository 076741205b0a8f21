import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { CheckDocument } from '../documents/check.ts';
import type { Documents } from '../documents/documents.ts';
import type { Execution, RunEvent } from '../execution/execute.ts';
import type { Context } from '../graph/context.ts';
import { type Maybe, whenReady } from '../graph/maybe.ts';
import { type Operation, whenDone } from '../usage/operation.ts';
import { type Accounts, shown } from './account.ts';
import { admit, errorsOf } from './admit.ts';
import { type Accounted, type Encode, encodeKept } from './encode.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { ObserveOperation, OperationRequest, Reply } from './request.ts';

/**
 * Takes an operation from its request to its reply, whichever transport it came in by. Rejects only
 * where not even the account can be told, as when the ledger is closed.
 */
export type Pipeline = (request: OperationRequest) => Maybe<Reply>;

export interface PipelineParts {
  schema: GraphQLSchema;
  keptAnswers: KeptAnswers;
  documents: Pick<Documents, 'find' | 'register'>;
  checkDocument: CheckDocument;
  /** The context of a new operation. */
  begin(isDry: boolean): Context;
  execution: Execution;
  accounts: Accounts;
  encode: Encode;
  /** Undefined: nobody does. */
  observe: ObserveOperation | undefined;
  log: Logger;
}

/** What is known so far of an operation on its way. */
interface Run {
  startedAt: number;
  name?: string | undefined;
  /** Once it is executed. */
  operation?: Operation;
}

export function createPipeline(parts: PipelineParts): Pipeline {
  const { schema, keptAnswers, documents, checkDocument, begin, execution } = parts;
  const { accounts, encode, observe, log } = parts;

  /** The steps, in order. Nothing is spent before `execute`. */
  return (request) => {
    const startedAt = performance.now();
    const kept = keptAnswers.find(request.key);
    if (kept) {
      observe?.({ by: 'kept answer', name: kept.name, errors: [], startedAt });
      return encodeKept(kept, accounts.ofKept(kept.parts.size));
    }
    const run: Run = { startedAt };
    let key: string | undefined;
    const finish = (result: ExecutionResult) => encode(request, account(result, run), key);
    const fail = (error: unknown) => finish({ errors: errorsOf(error, log) });
    try {
      const { operationName, variables: variableValues, ...sent } = request.read();
      const { text, registers } = documents.find(sent, request.clientName);
      const { document, isSubscription, name } = admit(checkDocument(text), operationName, request);
      // A kept answer would be sent the next time without registering the text.
      if (registers) documents.register(registers, text, request.address);
      else key = request.key;
      const contextValue = begin(request.isDry);
      run.name = name;
      run.operation = contextValue.operation;
      const args = { schema, document, operationName, variableValues, contextValue };
      const outcome = isSubscription
        ? execution.subscribe(args, runEvent(name))
        : execution.execute(args);
      const reply = whenReady(outcome, (result): Maybe<Reply> => {
        if (Symbol.asyncIterator in result) return { kind: 'events', events: result };
        return whenReady(settled(contextValue.operation), () => finish(result));
      });
      return reply instanceof Promise ? reply.catch(fail) : reply;
    } catch (error) {
      return fail(error);
    }
  };

  /** What the client sees of a result, and its account. */
  function account(raw: ExecutionResult, { operation, name, startedAt }: Run): Accounted {
    const result = operation ? shown(raw, operation, log) : raw;
    const by = operation ? 'execution' : 'refusal';
    observe?.({ by, name, operation, errors: result.errors ?? [], startedAt });
    return { result, account: accounts.of(result, operation), operation, name };
  }

  /** Every event is an operation of its own: what it loads is fresh, and what it spends is told. */
  function runEvent(name: string | undefined): RunEvent {
    return async (execute) => {
      const startedAt = performance.now();
      const context = begin(false);
      const { operation } = context;
      const raw = await execute(context);
      await whenDone(operation);
      const { result, account: extensions } = account(raw, { startedAt, name, operation });
      return { ...result, extensions: { ...extensions } };
    };
  }
}

/** A field may have failed while another request that the operation started is still on its way. */
function settled(operation: Operation): Maybe<void> {
  return operation.underWay.size > 0 ? whenDone(operation) : undefined;
}
