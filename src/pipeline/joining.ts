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
  /** By key, then by party: most keys that are looked up are not there, and their hash is known. */
  const underWay = new Map<string, Map<string, UnderWay>>();

  return {
    find: ({ key, party }) => (key === undefined ? undefined : underWay.get(key)?.get(party)),
    note({ key, party }, trace, reply) {
      if (key === undefined || !(reply instanceof Promise)) return;
      const parties = underWay.get(key) ?? new Map<string, UnderWay>();
      if (parties.has(party)) return;
      const end = () => {
        parties.delete(party);
        if (parties.size === 0) underWay.delete(key);
      };
      parties.set(party, { isOver: reply.then(end, end), trace });
      underWay.set(key, parties);
    },
  };
}
