import type { Clock } from '../../time.ts';

/** The server's clock as estimated from the times it states, and from how long its replies take. */
export interface ServerClock {
  now: Clock;
  /** Converts a time of the server to monotonic time. */
  toMonotonic(at: number): number;
  /** Notes that the server stated the time `at` between the two monotonic times. */
  note(sentAt: number, at: number, receivedAt: number): void;
}

/** The server states whole milliseconds. */
const ROUNDING_MS = 1;

export function createServerClock(monotonic: Clock): ServerClock {
  let offsetMs = Date.now() - monotonic();
  let roundTripMs = Infinity;
  return {
    now: () => monotonic() + offsetMs,
    toMonotonic: (at) => at - offsetMs,
    /** The fastest reply gives the best estimate, until a later one contradicts it. */
    note(sentAt, at, receivedAt) {
      const isPossible =
        offsetMs >= at - receivedAt - ROUNDING_MS && offsetMs <= at - sentAt + ROUNDING_MS;
      if (isPossible && receivedAt - sentAt > roundTripMs) return;
      roundTripMs = receivedAt - sentAt;
      offsetMs = at - (sentAt + receivedAt) / 2;
    },
  };
}
