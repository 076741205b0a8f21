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
/** Entries that count no more are removed so many at a time: one by one would take longer. */
const PIECE = 1024;

/** The operations of one millisecond. */
interface Passed {
  /** When the last of them passed: all count until that is a minute ago. */
  at: number;
  count: number;
}

/** Never more than the limit in any minute: it is remembered how many operations have passed in each millisecond. */
export function createRateCount(monotonic: Clock): RateCount {
  const passed: Passed[] = [];
  /** Where those begin that count. */
  let first = 0;
  /** How many operations count. */
  let total = 0;

  function forget(now: number): void {
    while (first < passed.length && now - passed[first]!.at >= WINDOW_MS) {
      total -= passed[first]!.count;
      first += 1;
    }
    if (first < PIECE || first * 2 < passed.length) return;
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

  /** When there is room again: where the limit was lowered, more than one has to be over before. */
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
      // Old entries are forgotten here, too: perhaps all operations of the client pass elsewhere.
      forget(now);
      note(count, now);
    },
    take(limit) {
      const now = monotonic();
      forget(now);
      const isExceeded = total >= limit;
      if (!isExceeded) note(1, now);
      // The difference comes first: fractions of a sum are rounded, perhaps past a whole second.
      const resetSeconds = Math.ceil((WINDOW_MS - (now - roomAfter(limit))) / 1000);
      return { isExceeded, limit, remaining: Math.max(0, limit - total), resetSeconds };
    },
  };
}
