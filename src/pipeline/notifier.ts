import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { Clock } from '../time.ts';
import type { Operation } from '../usage/operation.ts';
import type { Begun } from './begin.ts';
import type { KeptAnswer } from './kept-answers.ts';
import type { End } from './reply.ts';
import type { ObserveRepeat, OperationEnd, OperationObserver, RefusedReply } from './request.ts';

/** Tells the observers that an operation is over, however it ended. */

export interface NotifierOptions {
  observer: OperationObserver;
  log: Logger;
}

/** Everything about the end of an operation except its time. */
type UntimedEnd = Omit<OperationEnd, 'endedAt' | 'at'>;

const NO_ERRORS: readonly GraphQLError[] = [];
const NOTHING_DONE = { operation: undefined, hits: 0, joined: 0, served: [] };

/** Bytes that each further client adds to a kept answer. */
const OBSERVER_BYTES = 500;

export type Notifier = ReturnType<typeof createNotifier>;

/** `now`: the wall clock. */
export function createNotifier({ observer, log }: NotifierOptions, now: Clock) {
  const withTimes = (end: UntimedEnd): OperationEnd => ({
    ...end,
    endedAt: performance.now(),
    at: now(),
  });
  const ended = (end: UntimedEnd) => observer.ended(withTimes(end));

  function addObserver(kept: KeptAnswer, begun: Begun): ObserveRepeat {
    const observe = observer.repeats(withTimes(keptEnd(kept, begun, false)));
    if (kept.observers.size > 0) kept.addBytes(OBSERVER_BYTES);
    kept.observers.set(begun.client?.name, observe);
    return observe;
  }

  return {
    /** Called for an operation that was sent a kept answer. `isJoined`: one that was not ready yet when it began. */
    kept(kept: KeptAnswer, begun: Begun, isJoined: boolean): void {
      if (isJoined || begun.trace) return ended(keptEnd(kept, begun, isJoined));
      const observe = kept.observers.get(begun.client?.name) ?? addObserver(kept, begun);
      observe(begun.startedAt);
    },
    /** Called for an operation for which there was no place. */
    overload({ error }: RefusedReply, { client, trace, startedAt }: Begun): void {
      const about = { client: client?.name, errors: [error], trace, startedAt };
      ended({ by: 'overload', ...NOTHING_DONE, ...about });
    },
    /** Called for an operation that has run, or was refused because of its content. */
    end(end: End): void {
      const { operation, type, name, trace, startedAt } = end;
      const { errors = [] } = end.result;
      const client = end.client?.name;
      if (operation && isOverRequestLimit(operation, errors))
        log.warn({ name, max: operation.maxRequests }, OVER_REQUEST_LIMIT);
      const by = operation ? 'execution' : 'refusal';
      const { cacheHits: hits = 0, coalesced: joined = 0, served = [] } = operation ?? {};
      const answered = { hits, joined, served };
      ended({ by, type, name, client, operation, ...answered, errors, trace, startedAt });
    },
  };
}

function keptEnd(
  { name, served }: KeptAnswer,
  { client, trace, startedAt }: Begun,
  isJoined: boolean,
): UntimedEnd {
  return {
    by: 'kept answer',
    type: 'query',
    name,
    client: client?.name,
    operation: undefined,
    hits: isJoined ? 0 : served.length,
    joined: isJoined ? served.length : 0,
    served,
    errors: NO_ERRORS,
    trace,
    startedAt,
  };
}

/** If it has sent fewer requests, the client's own limit on units was reached, which is not worth a warning. */
function isOverRequestLimit(operation: Operation, errors: readonly GraphQLError[]): boolean {
  if (operation.requests < operation.maxRequests) return false;
  return errors.some(({ extensions }) => extensions['code'] === 'UPSTREAM_BUDGET_EXCEEDED');
}

const OVER_REQUEST_LIMIT =
  'an operation needed more upstream requests than MAX_UPSTREAM_REQUESTS_PER_OPERATION';
