import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { CheckDocument } from '../documents/check.ts';
import type { Client } from '../clients/file.ts';
import type { Documents } from '../documents/documents.ts';
import type { Execution, RunEvent } from '../execution/execute.ts';
import { isBusy, startBudget, turnOf, type Turns } from '../graph/budget.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Trace } from '../trace.ts';
import { type Operation, type Spender, whenDone } from '../usage/operation.ts';
import { admit } from './admit.ts';
import { type Around, begin, senderOf, settled, timed } from './begin.ts';
import { errorsOf } from './errors.ts';
import { createJoining, type UnderWay } from './joining.ts';
import type { KeptAnswer, KeptAnswers } from './kept-answers.ts';
import type { End, Replies } from './reply.ts';
import type { ObserveOperation, OperationEnd, OperationRequest, Reply } from './request.ts';
import { spenderOf } from './spender.ts';

/**
 * Takes an operation from its request to its reply, whichever transport it came in by. Rejects only
 * where not even the account can be told, as when the ledger's file cannot be read.
 */
export type Pipeline = (request: OperationRequest) => Maybe<Reply>;

export interface PipelineOptions extends Around {
  keptAnswers: KeptAnswers;
  documents: Pick<Documents, 'find' | 'register'>;
  checkDocument: CheckDocument;
  execution: Execution;
  replies: Replies;
  turns: Turns;
  /** Undefined: nobody does. */
  observe: ObserveOperation | undefined;
  log: Logger;
}

const NO_ERRORS: readonly GraphQLError[] = [];

/** What is known of an operation from the beginning. */
interface Begun {
  startedAt: number;
  trace: Trace | undefined;
  /** Whether it has waited for another one with the same request. */
  isJoined: boolean;
}

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
  const joining = createJoining();

  function sendKept(kept: KeptAnswer, request: OperationRequest, begun: Begun): Reply {
    const { size } = kept.parts;
    const { isJoined } = begun;
    const client = request.client?.name;
    observe?.({
      by: 'kept answer',
      type: 'query',
      name: kept.name,
      client,
      operation: undefined,
      hits: isJoined ? 0 : size,
      joined: isJoined ? size : 0,
      served: kept.served,
      errors: NO_ERRORS,
      trace: begun.trace,
      startedAt: begun.startedAt,
    });
    return replies.ofKept(kept, { client: request.client, isJoined });
  }

  const keptFor = ({ key }: OperationRequest) =>
    key === undefined ? undefined : keptAnswers.find(key);

  /** Waits until somebody else has got the same answer, and gets it where that could not be kept. */
  async function join(other: UnderWay, request: OperationRequest, begun: Begun): Promise<Reply> {
    if (other.trace) begun.trace?.join(other.trace);
    await other.isOver;
    const kept = keptFor(request);
    return kept ? sendKept(kept, request, { ...begun, isJoined: true }) : answer(request, begun);
  }

  /** The steps, in order. Nothing is spent before `execute`. */
  function answer(request: OperationRequest, { startedAt, trace }: Begun): Maybe<Reply> {
    const state: Run = { startedAt, trace, client: request.client };
    const finish = (result: ExecutionResult) => {
      const end = account(result, state);
      const reply = replies.encode(request, end);
      tell(end, state);
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
        else state.key = request.key;
        state.isSameText = isCurrent;
        const spender = spenderOf(request, name, text);
        const contextValue = begin(options, request, { budget, spender, trace });
        Object.assign(state, { type, name, operation: contextValue.operation });
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
  }

  function account(result: ExecutionResult, run: Run): End {
    return { ...run, ...replies.account(result, run.operation, run.client) };
  }

  /** Tells who observes that an operation is over. */
  function tell({ result: { errors = [] } }: End, run: Run): void {
    const { operation, type, name, trace, startedAt } = run;
    const client = run.client?.name;
    if (operation && isOverBudget(operation, errors))
      options.log.warn({ name, max: operation.maxRequests }, OVER_BUDGET);
    const by = operation ? 'execution' : 'refusal';
    const { cacheHits: hits = 0, coalesced: joined = 0, served = [] } = operation ?? {};
    const answered = { hits, joined, served };
    observe?.({ by, type, name, client, operation, ...answered, errors, trace, startedAt });
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
      return { ...end.result, extensions: { ...end.extensions() } };
    };
  }

  return (request) => {
    const startedAt = observe ? performance.now() : 0;
    const trace = observe && beginTrace?.('operation', request.traceHeaders);
    const begun = { startedAt, trace, isJoined: false };
    const kept = keptFor(request);
    if (kept) return sendKept(kept, request, begun);
    const same = request.key === undefined ? undefined : joining.find(request);
    if (same) return join(same, request, begun);
    const reply = answer(request, begun);
    if (request.key !== undefined) joining.note(request, trace, reply);
    return reply;
  };
}

/** Where it has sent fewer, it is the client's own bound on units that was reached: nothing to be mended here. */
function isOverBudget(operation: Operation, errors: readonly GraphQLError[]): boolean {
  if (operation.requests < operation.maxRequests) return false;
  return errors.some(({ extensions }) => extensions['code'] === 'UPSTREAM_BUDGET_EXCEEDED');
}

const OVER_BUDGET =
  'an operation needed more upstream requests than MAX_UPSTREAM_REQUESTS_PER_OPERATION';
