/** What the bytes of answers show about the speed of the line that they came over. */

/** How the body of an answer arrived, as far as it did. */
export interface Arrival {
  bytes: number;
  /** From sending the request to the status, in milliseconds. */
  firstByteMs: number;
  /** From the status to the last byte, in milliseconds. */
  bodyMs: number;
}

/**
 * At least as much as a server sends before the first acknowledgement (ten packets): it arrives at once, however slow
 * the line is.
 */
const FIRST_WINDOW_BYTES = 16_384;
/**
 * How many bytes a connection brings per further round trip, at first: the window doubles with each of them, so that an
 * answer of ten first windows takes three.
 */
const BYTES_PER_ROUND_TRIP = 2.5 * FIRST_WINDOW_BYTES;

/** What is known of a line besides the arrivals over it. */
interface Circumstances {
  /** The speed before anything is known, in bytes per millisecond. */
  presumed: number;
  /** The shortest time to a first byte so far: a round trip takes no longer. */
  roundTripMs: number;
}

/**
 * The speed that at least half of all bytes reached, in bytes per millisecond: one answer that was held up changes
 * little, and large answers count more than small ones. Those within the first window show hardly more than that the line
 * is not slow: at most the speed at which larger ones would come.
 */
export function speedOf(
  arrivals: readonly Arrival[],
  { presumed, roundTripMs }: Circumstances,
): number {
  const mostAtOnce = Math.max(presumed, BYTES_PER_ROUND_TRIP / roundTripMs);
  const fastest = arrivals
    .map(({ bytes, bodyMs }) => {
      const most = bytes < FIRST_WINDOW_BYTES ? mostAtOnce : Infinity;
      return { bytes, perMs: Math.min(Math.max(1, bytes) / bodyMs, most) };
    })
    .toSorted((a, b) => b.perMs - a.perMs);
  const half = fastest.reduce((sum, { bytes }) => sum + bytes, 0) / 2;
  let sum = 0;
  for (const { bytes, perMs } of fastest) {
    sum += bytes;
    if (sum >= half) return perMs;
  }
  return 0;
}
