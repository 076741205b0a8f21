/** Decides when a worker that has ended is replaced, and when further replacements would be in vain. */

/** A worker that has run for this long did not end because of a problem at its start. */
const LONG_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 30_000;
/** How many early ends in a row show that no further worker would serve, either. */
const MOST_IN_VAIN = 5;

interface Backoff {
  /** Notes that a worker has ended `ms` after its start; returns the pause until the next start, in milliseconds. */
  noteEnded(ms: number): number;
  /** Whether so many workers in a row ended early that the next one would, too. */
  isInVain(): boolean;
}

export function createBackoff(): Backoff {
  let early = 0;
  return {
    noteEnded(ms) {
      early = ms < LONG_MS ? early + 1 : 0;
      return early === 0 ? 0 : Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (early - 1));
    },
    isInVain: () => early >= MOST_IN_VAIN,
  };
}
