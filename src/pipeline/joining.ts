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
  whenOver: Promise<void>;
  trace: Trace | undefined;
}

interface Noted extends UnderWay {
  party: string;
  isOver: boolean;
}

/** So many characters of the requests that are over are kept at most. */
const MAX_OVER_LENGTH = 32_768;

const isUnderWay = ({ isOver }: Noted) => !isOver;

export function createJoining(): Joining {
  /** By key: most of those that are looked up are not there. Some are over. */
  let noted = new Map<string, readonly Noted[]>();
  let overLength = 0;

  const findOf = (key: string, party: string) =>
    noted.get(key)?.find((one) => isUnderWay(one) && one.party === party);

  /**
   * A map that one key after the other is added to and deleted from makes a new table each time, and
   * the garbage collector keeps all of them once it keeps one for long: many are left out at a time instead.
   */
  function noteOver(key: string): void {
    overLength += key.length;
    if (overLength <= MAX_OVER_LENGTH) return;
    const left = [...noted].map(([own, all]) => [own, all.filter(isUnderWay)] as const);
    noted = new Map(left.filter(([, all]) => all.length > 0));
    overLength = 0;
  }

  return {
    find: ({ key, party }) => (key === undefined ? undefined : findOf(key, party)),
    note({ key, party }, trace, reply) {
      if (key === undefined || !(reply instanceof Promise) || findOf(key, party)) return;
      const end = () => {
        one.isOver = true;
        noteOver(key);
      };
      const one: Noted = { party, trace, isOver: false, whenOver: reply.then(end, end) };
      const others = noted.get(key)?.filter(isUnderWay) ?? [];
      noted.set(key, [...others, one]);
    },
  };
}
