/** When a worker that has ended is followed by another, and when nothing would come of that. */

/** One that has served for so long has not ended because of how it starts. */
const LONG_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 30_000;
/** Where no worker serves after so many that ended early, none will. */
const MOST_IN_VAIN = 5;

interface Backoff {
  /** One has ended that was started `ms` before; gives the pause until the next. */
  noteEnded(ms: number): number;
  /** So many in a row ended early that another one would, too. */
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
