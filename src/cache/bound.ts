/**
 * How many days one request may ask for, learnt per dataset from the answers before it: the days
 * whose answer is expected to stay under a size, and under the number of records that the upstream
 * is known to cut its answers at.
 */
export interface Bound {
  maxDays(): number;
  learn(answer: { days: number; bytes: number; records: number; cutShort: boolean }): void;
}

/** Before anything is known of a dataset, a request grows to a month. */
const MODEST_DAYS = 31;
/** Older answers count less with each new one, so that a denser dataset is noticed. */
const MEMORY = 0.8;
/** Days differ: stay this far below a known cut. */
const MARGIN = 0.8;

export function createBound(maxBytes: number): Bound {
  const seen = { days: 0, bytes: 0, records: 0 };
  let maxRecords = Infinity;

  return {
    maxDays() {
      if (seen.days === 0) return MODEST_DAYS;
      const byBytes = (maxBytes * seen.days) / seen.bytes;
      const byRecords =
        seen.records > 0 ? (maxRecords * MARGIN * seen.days) / seen.records : Infinity;
      return Math.max(1, Math.floor(Math.min(byBytes, byRecords)));
    },
    learn({ days, bytes, records, cutShort }) {
      if (cutShort) maxRecords = Math.max(1, Math.min(maxRecords, records));
      seen.days = seen.days * MEMORY + days;
      seen.bytes = seen.bytes * MEMORY + Math.max(1, bytes);
      seen.records = seen.records * MEMORY + records;
    },
  };
}
