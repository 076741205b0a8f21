import { LRUCache } from 'lru-cache';

/**
 * How many days one request may ask for, learnt per dataset from the answers before it: the days
 * whose answer is expected to stay under a size, and under the number of records that the upstream
 * is known to cut its answers at.
 */
export interface Bound {
  maxDays(key: string): number;
  /**
   * The upstream refused a request for so many days: those of this key stay shorter. Once a shorter
   * one is answered, it was the length that was refused, and those of all keys stay shorter.
   */
  refuse(key: string, days: number): void;
  learn(
    key: string,
    answer: { days: number; bytes: number; records: number; cutShort: boolean },
  ): void;
}

/** Until a dataset is known its days are taken for large ones: a first request grows to a month. */
const LARGE_DAY_BYTES = 16_384;
/** Older answers count less with each new one, so that a denser dataset is noticed. */
const MEMORY = 0.8;
/** Days differ: stay this far below a known cut. */
const MARGIN = 0.8;

/** A request for more days than any one question may ask for is a burden, however light they were. */
const MAX_DAYS = 36_600;

/** An upstream that has a limit has mostly one of these, in days; the spec shows none. */
const USUAL_LIMITS = [366, 31, 7, 1];
const limitBelow = (days: number): number =>
  days === Infinity ? days : (USUAL_LIMITS.find((limit) => limit < days) ?? 1);

/** Keys whose refusal is remembered. */
const MAX_REFUSED = 1000;

/** `bytesPerDay`: what the first answer is expected to weigh, where something is known of it. */
export function createBound(maxBytes: number, bytesPerDay = LARGE_DAY_BYTES): Bound {
  const seen = { days: 0, bytes: 0, records: 0 };
  let maxRecords = Infinity;
  let longest = MAX_DAYS;
  const refused = new LRUCache<string, number>({ max: MAX_REFUSED });

  /** An answer for more days than were thought to be allowed shows that there is no such limit. */
  function learnLimit(key: string, days: number): void {
    const tooLong = refused.get(key) ?? 0;
    if (days > longest) longest = MAX_DAYS;
    if (days < tooLong) longest = Math.min(longest, limitBelow(tooLong));
    refused.delete(key);
  }

  return {
    maxDays(key) {
      const allowed = Math.min(longest, limitBelow(refused.get(key) ?? Infinity));
      if (seen.days === 0)
        return Math.max(1, Math.min(allowed, Math.floor(maxBytes / bytesPerDay)));
      const byBytes = (maxBytes * seen.days) / seen.bytes;
      const byRecords =
        seen.records > 0 ? (maxRecords * MARGIN * seen.days) / seen.records : Infinity;
      return Math.max(1, Math.floor(Math.min(byBytes, byRecords, allowed)));
    },
    refuse: (key, days) => void refused.set(key, days),
    learn(key, { days, bytes, records, cutShort }) {
      learnLimit(key, days);
      if (cutShort) maxRecords = Math.max(1, Math.min(maxRecords, records));
      seen.days = seen.days * MEMORY + days;
      seen.bytes = seen.bytes * MEMORY + Math.max(1, bytes);
      seen.records = seen.records * MEMORY + records;
    },
  };
}
