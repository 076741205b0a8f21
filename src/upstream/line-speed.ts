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

/**
 * The speed that at least half of all bytes reached, in bytes per millisecond: one answer that was held up
 * changes little, and large answers count more than small ones. `presumed`: the speed before anything is known.
 */
export function speedOf(arrivals: readonly Arrival[], presumed: number): number {
  const fastest = arrivals
    .map((arrival) => ({ bytes: arrival.bytes, perMs: shownBy(arrival, presumed) }))
    .toSorted((a, b) => b.perMs - a.perMs);
  const half = fastest.reduce((sum, { bytes }) => sum + bytes, 0) / 2;
  let sum = 0;
  for (const { bytes, perMs } of fastest) {
    sum += bytes;
    if (sum >= half) return perMs;
  }
  return 0;
}

/**
 * The speed that an answer shows, in bytes per millisecond. One within the first window shows hardly more than that the
 * line is not slow: at most the speed at which a larger one would come if the round trip took as long as the first byte,
 * or the presumed one if that is faster, since the server may have been slow itself.
 */
function shownBy({ bytes, firstByteMs, bodyMs }: Arrival, presumed: number): number {
  const isShort = bytes < FIRST_WINDOW_BYTES;
  const most = isShort ? Math.max(presumed, BYTES_PER_ROUND_TRIP / firstByteMs) : Infinity;
  return Math.min(Math.max(1, bytes) / bodyMs, most);
}
