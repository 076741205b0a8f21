import type { Clock } from '../time.ts';

/** Counts the operations of one client against its limit a minute. */
export interface RateCount {
  /** Takes one operation, if there is room for it. */
  take(limit: number): Rate;
  /** So many operations have passed elsewhere. */
  add(count: number): void;
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
const WINDOW_MS = WINDOW_SECONDS * 1000;
/** Times that are over are removed in so large pieces: one by one would take longer. */
const PIECE = 1024;

/** Never more than the limit in any minute: the time of each operation that counts is remembered. */
export function createRateCount(monotonic: Clock): RateCount {
  const times: number[] = [];
  /** Where those begin that count. */
  let first = 0;

  function forget(now: number): void {
    while (first < times.length && now - times[first]! >= WINDOW_MS) first += 1;
    if (first < PIECE || first * 2 < times.length) return;
    times.splice(0, first);
    first = 0;
  }

  return {
    add(count) {
      const now = monotonic();
      // Perhaps none is ever taken here.
      forget(now);
      for (let i = 0; i < count; i += 1) times.push(now);
    },
    take(limit) {
      const now = monotonic();
      forget(now);
      const isExceeded = times.length - first >= limit;
      if (!isExceeded) times.push(now);
      const count = times.length - first;
      // Where the limit was lowered, more than one has to be over before there is room.
      const next = times[first + Math.max(0, count - limit)] ?? now;
      // The difference comes first: fractions of a sum are rounded, perhaps past a whole second.
      const resetSeconds = Math.ceil((WINDOW_MS - (now - next)) / 1000);
      return { isExceeded, limit, remaining: Math.max(0, limit - count), resetSeconds };
    },
  };
}
