import type { Clock } from '../time.ts';

/** Counts the operations of one client against its limit per minute. */
export interface RateCount {
  /** Counts one operation, if the limit leaves room for it. */
  take(limit: number): Rate;
  /** Counts operations that other processes have let pass. */
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
/** Minimum number of expired entries that are removed at once: one by one would take longer. */
const MIN_REMOVED = 1024;

/** The operations of one millisecond. */
interface Passed {
  /** When the last of them passed: all of them count until a minute later. */
  at: number;
  count: number;
}

/** Lets no more than the limit pass in any minute: it remembers how many operations have passed in each millisecond. */
export function createRateCount(monotonic: Clock): RateCount {
  const passed: Passed[] = [];
  /** Index of the first entry that still counts. */
  let first = 0;
  /** How many operations still count. */
  let total = 0;

  function forget(now: number): void {
    while (first < passed.length && now - passed[first]!.at >= WINDOW_MS) {
      total -= passed[first]!.count;
      first += 1;
    }
    if (first < MIN_REMOVED || first * 2 < passed.length) return;
    passed.splice(0, first);
    first = 0;
  }

  function note(count: number, now: number): void {
    total += count;
    const last = passed.at(-1);
    if (last === undefined || Math.floor(last.at) !== Math.floor(now)) {
      passed.push({ at: now, count });
      return;
    }
    last.at = now;
    last.count += count;
  }

  /** Returns the time of the entry that has to expire to make room: not the first, if the limit was lowered. */
  function roomAfter(limit: number): number {
    let beyond = total - limit;
    let i = first;
    while (beyond >= passed[i]!.count) {
      beyond -= passed[i]!.count;
      i += 1;
    }
    return passed[i]!.at;
  }

  return {
    add(count) {
      const now = monotonic();
      // Old entries are removed here, too: perhaps all operations of the client pass elsewhere.
      forget(now);
      note(count, now);
    },
    take(limit) {
      const now = monotonic();
      forget(now);
      const isExceeded = total >= limit;
      if (!isExceeded) note(1, now);
      // The subtraction comes first: a sum would be rounded, perhaps past a whole second.
      const resetSeconds = Math.ceil((WINDOW_MS - (now - roomAfter(limit))) / 1000);
      return { isExceeded, limit, remaining: Math.max(0, limit - total), resetSeconds };
    },
  };
}
