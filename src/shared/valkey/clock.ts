import type { Clock } from '../../time.ts';

/** The server's clock as it is estimated here, from what it says and how long that took to come. */
export interface ServerClock {
  now: Clock;
  /** By the monotonic clock: when it is `at` on the server. */
  toMonotonic(at: number): number;
  /** It said `at` between the two monotonic times. */
  note(sentAt: number, at: number, receivedAt: number): void;
}

/** It says whole milliseconds. */
const ROUNDING_MS = 1;

export function createServerClock(monotonic: Clock): ServerClock {
  let offset = Date.now() - monotonic();
  let trip = Infinity;
  return {
    now: () => monotonic() + offset,
    toMonotonic: (at) => at - offset,
    /** The fastest answer tells best, until one shows that it is wrong by now. */
    note(sentAt, at, receivedAt) {
      const isPossible =
        offset >= at - receivedAt - ROUNDING_MS && offset <= at - sentAt + ROUNDING_MS;
      if (isPossible && receivedAt - sentAt > trip) return;
      trip = receivedAt - sentAt;
      offset = at - (sentAt + receivedAt) / 2;
    },
  };
}
