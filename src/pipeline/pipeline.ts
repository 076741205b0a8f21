import type { ExecutionResult } from 'graphql';
import type { Documents, Sender } from '../documents/documents.ts';
import type { Context } from '../graph/context.ts';
import { allotResources, type Resources } from '../graph/resources.ts';
import { createTurnLengths } from '../graph/turn-lengths.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import { whenEnded } from '../shared/tasks.ts';
import { admit, type Admitted } from './admit.ts';
import { type Begun, checkInTurn, contextOf, type Run } from './begin.ts';
import { errorsOf } from './errors.ts';
import { createEvents, type EventsOptions, type Subscription, subscriptionOf } from './events.ts';
import { createJoining, type OperationUnderWay } from './joining.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { Places } from './places.ts';
import type { OperationRequest, Reply } from './request.ts';
import { spenderOf } from './spender.ts';
import { createNotifier, type NotifierOptions } from './notifier.ts';

/**
 * Takes an operation from its request to its reply, whatever the transport. Rejects only if not even an
 * account can be given, as when the ledger's file cannot be read.
 */
export type Pipeline = (request: OperationRequest) => Maybe<Reply>;

interface PipelineOptions extends EventsOptions, NotifierOptions {
  keptAnswers: KeptAnswers;
  documents: Pick<Documents, 'find' | 'register'>;
  places: Places;
}

/** Reports an operation's result to the observers, and turns it into a reply. */
type Finish = (result: ExecutionResult) => Reply;

export function createPipeline(options: PipelineOptions): Pipeline {
  const { keptAnswers, documents, checkDocument, execution, replies, turns } = options;
  const { beginTrace, monotonic, settings } = options.gateway;
  const joining = createJoining();
  const lengthsFor = createTurnLengths();
  const notifier = createNotifier(options, options.gateway.now);
  const eventsOf = createEvents(options, notifier);

  /** The clock is read only once: sending a kept answer takes so little time that further readings would matter. */
  function sendKept({ key }: OperationRequest, begun: Begun, isJoined = false): Reply | undefined {
    if (key === undefined) return undefined;
    const at = monotonic();
    const kept = keptAnswers.find(key, at);
    if (!kept) return undefined;
    notifier.kept(kept, begun, isJoined);
    return replies.ofKept(kept, { client: begun.client, isJoined, at });
  }

  function refuse(begun: Begun): Reply {
    const reply = replies.overloaded(begun.client);
    notifier.overload(reply, begun);
    return reply;
  }

  /** Waits for the answer to an identical request, unless too many do, and executes its own if that was not kept. */
  function join(other: OperationUnderWay, request: OperationRequest, begun: Begun): Maybe<Reply> {
    const endJoined = options.places.beginJoined(request.party);
    if (!endJoined) return refuse(begun);
    if (other.trace) begun.trace?.join(other.trace);
    if (request.key) keptAnswers.expect(request.key);
    return other.whenOver.then(() => {
      endJoined();
      return sendKept(request, begun, true) ?? answer(request, begun);
    });
  }

  /** An operation without a kept answer takes a place, or is refused. */
  function answer(request: OperationRequest, begun: Begun): Maybe<Reply> {
    const resources = allotResources(settings, turns, request.party);
    const start = () => takeSteps(request, begun, resources);
    return options.places.enter(resources, start, () => refuse(begun));
  }

  /** A separate function, whose closures keep nothing of the request while the operation waits for the upstream. */
  function execute(
    { document, operationName, variableValues }: Admitted,
    contextValue: Context,
    finish: Finish,
  ): Maybe<Reply> {
    const { underWay } = contextValue.operation;
    const args = { document, operationName, variableValues, contextValue };
    return whenReady(execution.execute(args), (result) =>
      whenReady(whenEnded(underWay), () => finish(result)),
    );
  }

  async function subscribe(
    { document, operationName, variableValues }: Admitted,
    contextValue: Context,
    subscription: Subscription,
    finish: Finish,
  ): Promise<Reply> {
    const args = { document, operationName, variableValues, contextValue };
    const source = await execution.subscribe(args);
    if ('next' in source) return { kind: 'events', events: eventsOf(subscription, source) };
    await whenEnded(contextValue.operation.underWay);
    return finish(source);
  }

  /** The steps, in order. Nothing is spent before `execute`. */
  function takeSteps(request: OperationRequest, begun: Begun, resources: Resources): Maybe<Reply> {
    const { trace } = begun;
    const run: Run = { ...begun };
    const finish = (result: ExecutionResult) => {
      const end = { ...run, ...replies.account(result, run) };
      const reply = replies.encode(request, end);
      notifier.end(end);
      return reply;
    };
    const fail = (error: unknown) => finish({ errors: errorsOf(error, options.log) });
    try {
      const sent = request.read();
      const found = documents.find(sent, senderOf(request));
      const reply = whenReady(checkInTurn(checkDocument, found.text, resources), (checked) => {
        const admitted = admit(checked, sent, request, found.text);
        // No key if the text is to be registered: a kept answer would be sent next time without registering it.
        if (found.registers) documents.register(found.registers, found.text, request.party);
        else run.key = request.key;
        run.isSameText = found.isCurrent;
        const spender = spenderOf(request, admitted.name, found.text);
        const context = contextOf(options.gateway, request, { resources, spender, trace });
        const { type, name } = admitted;
        Object.assign(run, { type, name, operation: context.operation });
        if (type !== 'subscription') return execute(admitted, context, finish);
        return subscribe(admitted, context, subscriptionOf(request, admitted, found.text), finish);
      });
      return reply instanceof Promise ? reply.catch(fail) : reply;
    } catch (error) {
      return fail(error);
    }
  }

  return (request) => {
    const startedAt = request.arrivedAt ?? performance.now();
    turns.lengths = lengthsFor(request.party, startedAt);
    const trace = beginTrace?.('operation', request.traceHeaders);
    const begun = { startedAt, trace, client: request.client };
    const kept = sendKept(request, begun);
    if (kept) return kept;
    const same = request.key === undefined ? undefined : joining.find(request);
    if (same) return join(same, request, begun);
    const reply = answer(request, begun);
    if (request.key !== undefined) joining.note(request, trace, reply);
    return reply;
  };
}

const senderOf = ({ clientName, client }: OperationRequest): Sender => ({
  clientName,
  persistedOnly: client?.persistedOnly ?? false,
});
