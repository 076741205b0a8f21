/** Decides when a worker that has ended is replaced, and when further replacements would be in vain. */

/** A worker that has run for this long did not end because of a problem at its start. */
const STABLE_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** How many early ends in a row show that no further worker would serve, either. */
const MAX_EARLY_ENDS = 5;

interface Backoff {
  /** Notes that a worker has ended `ms` after its start; returns the pause until the next start, in milliseconds. */
  noteEnded(ms: number): number;
  /** Whether so many workers in a row ended early that the next one would, too. */
  isHopeless(): boolean;
}

export function createBackoff(): Backoff {
  let earlyEnds = 0;
  return {
    noteEnded(ms) {
      earlyEnds = ms < STABLE_MS ? earlyEnds + 1 : 0;
      return earlyEnds === 0 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (earlyEnds - 1));
    },
    isHopeless: () => earlyEnds >= MAX_EARLY_ENDS,
  };
}
