import type { Clock } from '../time.ts';

/** Counts the operations of one client against its limit a minute. */
export interface RateCount {
  /** Takes one operation, if there is room for it. */
  take(limit: number): Rate;
}

/** How many operations a client may still send, in terms of the RateLimit header fields (IETF draft). */
export interface Rate {
  isExceeded: boolean;
  limit: number;
  remaining: number;
  /** Whole seconds until more are permitted. */
  resetSeconds: number;
}

export const WINDOW_SECONDS = 60;
/** The second that has begun, and all that the window reaches into: never more than the limit in any minute. */
const BUCKETS = WINDOW_SECONDS + 1;

/** One count a second is kept, however high the limit is. */
export function createRateCount(monotonic: Clock): RateCount {
  const counts = new Uint32Array(BUCKETS);
  let newest = Math.floor(monotonic() / 1000);
  let sum = 0;

  /** Forgets the seconds that the window has left behind. */
  function advance(second: number): void {
    const passed = Math.min(BUCKETS, second - newest);
    for (let i = 1; i <= passed; i += 1) {
      const place = (newest + i) % BUCKETS;
      sum -= counts[place]!;
      counts[place] = 0;
    }
    newest = Math.max(newest, second);
  }

  /** When the oldest operation that counts does so no more. */
  function resetSeconds(): number {
    for (let age = BUCKETS - 1; age > 0; age -= 1)
      if (counts[(newest - age + BUCKETS) % BUCKETS]! > 0) return BUCKETS - age;
    return BUCKETS;
  }

  return {
    take(limit) {
      advance(Math.floor(monotonic() / 1000));
      const isExceeded = sum >= limit;
      if (!isExceeded) {
        sum += 1;
        counts[newest % BUCKETS]! += 1;
      }
      return {
        isExceeded,
        limit,
        remaining: Math.max(0, limit - sum),
        resetSeconds: resetSeconds(),
      };
    },
  };
}
