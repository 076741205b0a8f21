/** How long operations hold the process at a time, all in milliseconds. */
export interface TurnLengths {
  /** After so long an operation lets others run. */
  readonly slice: number;
  /** Whoever begins after operations have held the process for so long waits for its turn. */
  readonly busy: number;
  /** All operations together run so long before the event loop serves what else there is. */
  readonly round: number;
}

/** While only one party asks, it waits for nobody but itself: with long turns more is served. */
export const UNSHARED: TurnLengths = { slice: 15, busy: 4, round: 5 };
/** While several parties ask, one that asks for a lot must not keep the others waiting. */
const SHARED: TurnLengths = { slice: 2, busy: 1, round: 2 };
/** Turns stay short for this time after two requests in a row came from different parties. */
const CHANGED_MS = 1000;

/** Tells, each time that a party asks for something, how long turns are from then on. `at`: by any monotonic clock. */
export function createTurnLengths(): (party: string, at: number) => TurnLengths {
  let last: string | undefined;
  let changedAt = -Infinity;
  return (party, at) => {
    if (party !== last) {
      if (last !== undefined) changedAt = at;
      last = party;
    }
    return at - changedAt < CHANGED_MS ? SHARED : UNSHARED;
  };
}
