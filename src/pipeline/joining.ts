import type { Maybe } from '../maybe.ts';
import type { Trace } from '../trace.ts';
import type { OperationRequest, Reply } from './request.ts';

/**
 * Operations that are executed at present. Who sends the same request meanwhile waits, and is then sent
 * the answer that was kept: a crowd that asks the same at once takes hardly more of the process than one
 * of them. What a party has under way keeps nobody else waiting.
 */
export interface Joining {
  find(request: OperationRequest): UnderWay | undefined;
  /** Notes that the request is answered by `reply`. */
  note(request: OperationRequest, trace: Trace | undefined, reply: Maybe<Reply>): void;
}

export interface UnderWay {
  /** Resolves when it is over, however it ends. */
  isOver: Promise<void>;
  trace: Trace | undefined;
}

export function createJoining(): Joining {
  const underWay = new Map<string, UnderWay>();

  const keyOf = ({ key, party }: OperationRequest) => key && `${party}\n${key}`;

  return {
    find(request) {
      const key = underWay.size > 0 ? keyOf(request) : undefined;
      return key === undefined ? undefined : underWay.get(key);
    },
    note(request, trace, reply) {
      const key = reply instanceof Promise ? keyOf(request) : undefined;
      if (key === undefined || underWay.has(key) || !(reply instanceof Promise)) return;
      const end = () => void underWay.delete(key);
      underWay.set(key, { isOver: reply.then(end, end), trace });
    },
  };
}
