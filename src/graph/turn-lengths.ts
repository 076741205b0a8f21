/** How long operations hold the process at a time, all in milliseconds. */
export interface TurnLengths {
  /** How long an operation holds the process before it lets others run. */
  readonly slice: number;
  /** Once operations have held the process for longer than this, an operation that begins waits for its turn. */
  readonly busy: number;
  /** How long all operations together run before the event loop serves everything else. */
  readonly round: number;
}

/** While only one party asks, it keeps nobody but itself waiting, and longer turns get more done. */
export const UNSHARED: TurnLengths = { slice: 15, busy: 4, round: 5 };
/** While several parties ask, one that asks for a lot must not keep the others waiting. */
const SHARED: TurnLengths = { slice: 2, busy: 1, round: 2 };
/** How long turns stay short after two requests in a row from different parties, in milliseconds. */
const SHORT_TURNS_MS = 1000;

/**
 * Returns a function to be called each time a party asks for something: it returns how long turns are from then on.
 * `at`: the time on any monotonic clock, in milliseconds.
 */
export function createTurnLengths(): (party: string, at: number) => TurnLengths {
  let last: string | undefined;
  let changedAt = -Infinity;
  return (party, at) => {
    if (party !== last) {
      if (last !== undefined) changedAt = at;
      last = party;
    }
    return at - changedAt < SHORT_TURNS_MS ? SHARED : UNSHARED;
  };
}
