import type { Maybe } from '../maybe.ts';
import type { Trace } from '../trace.ts';
import type { OperationRequest, Reply } from './request.ts';
import type { RequestKey } from './request-key.ts';

/**
 * Operations under way, which identical requests join: they wait, and are then sent the answer that was kept.
 * So a crowd of identical requests costs the process hardly more than one of them. Requests of different
 * parties (addresses or clients) are never joined.
 */
export interface Joining {
  /** Returns the operation that the request can join. */
  find(request: Asked): OperationUnderWay | undefined;
  /** Notes that the request is answered by `reply`. */
  note(request: Asked, trace: Trace | undefined, reply: Maybe<Reply>): void;
}

type Asked = Pick<OperationRequest, 'key' | 'party'>;

export interface OperationUnderWay {
  /** Resolves when it is over, however it ends. */
  whenOver: Promise<void>;
  trace: Trace | undefined;
}

interface NotedOperation extends OperationUnderWay {
  text: string;
  party: string;
  isOver: boolean;
}

/** Requests that are over are removed once they have more characters than this, and are at least half of all. */
const MAX_OVER_LENGTH = 32_768;

const isUnderWay = ({ isOver }: NotedOperation) => !isOver;

export function createJoining(): Joining {
  /** By the hash of the key, since most lookups find nothing. Some of these operations are over. */
  let noted = new Map<number, readonly NotedOperation[]>();
  const over = { count: 0, length: 0 };

  const findOf = ({ hash, text }: RequestKey, party: string) =>
    noted.get(hash)?.find((one) => isUnderWay(one) && one.party === party && one.text === text);

  /**
   * Removes requests that are over, many at a time: a map whose only key is deleted allocates a new table, and once
   * one of these tables is in the old generation, the garbage collector keeps all that follow.
   */
  function noteOver(length: number): void {
    over.count += 1;
    over.length += length;
    if (over.length <= MAX_OVER_LENGTH || over.count * 2 < noted.size) return;
    const left = [...noted].map(([own, all]) => [own, all.filter(isUnderWay)] as const);
    noted = new Map(left.filter(([, all]) => all.length > 0));
    Object.assign(over, { count: 0, length: 0 });
  }

  return {
    find: ({ key, party }) => (key === undefined ? undefined : findOf(key, party)),
    note({ key, party }, trace, reply) {
      if (key === undefined || !(reply instanceof Promise) || findOf(key, party)) return;
      const { text, hash } = key;
      const end = () => {
        one.isOver = true;
        noteOver(text.length);
      };
      const whenOver = reply.then(end, end);
      const one: NotedOperation = { text, party, trace, isOver: false, whenOver };
      const others = noted.get(hash)?.filter(isUnderWay) ?? [];
      noted.set(hash, [...others, one]);
    },
  };
}
