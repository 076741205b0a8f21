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
 * changes little, and large answers count more than small ones.
 */
export function speedOf(arrivals: readonly Arrival[]): number {
  const fastest = arrivals
    .map((arrival) => ({ bytes: arrival.bytes, perMs: shownBy(arrival) }))
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
 * The speed that an answer shows, in bytes per millisecond. One within the first window shows at most the speed at which
 * a larger one would come, given that the round trip takes no longer than the first byte took.
 */
function shownBy({ bytes, firstByteMs, bodyMs }: Arrival): number {
  const most = bytes < FIRST_WINDOW_BYTES ? BYTES_PER_ROUND_TRIP / firstByteMs : Infinity;
  return Math.min(Math.max(1, bytes) / bodyMs, most);
}
