import { createBoundedMap } from '../bounded-map.ts';
import { MAX_DAYS } from './plan.ts';

/** How many days a request may ask for, learned for each dataset from its answers. */
export interface LengthLimit {
  /** Maximum number of days to widen a request to: the answer is expected to stay below `maxBytes`. */
  maxDays(key: string): number;
  /**
   * Maximum number of days in one request if several questions together want all of them: the answer is expected to
   * stay below the number of records at which the upstream has cut an answer, and small enough to be read at once.
   */
  maxDaysTogether(key: string): number;
  /** Maximum number of days that the upstream accepts, as far as refusals have shown. */
  allowedDays(key: string): number;
  /** The size of a day's records in bytes, as far as it is known; for a new key, the largest known of any key. */
  bytesPerDay(key: string): number;
  /**
   * Notes that the upstream refused a request for so many days: requests for this key stay shorter. Once a shorter one
   * is answered, the length is taken to be the reason, and requests for all keys stay shorter.
   */
  noteRefused(key: string, days: number): void;
  /** Notes a 404 for so many days: it counts as a refusal if the next answer is for fewer of them and has records. */
  noteNotFound(key: string, days: number): void;
  /** `total`: how many records the answer would have had if it had not been cut, as far as that is known. */
  noteAnswer(
    key: string,
    answer: {
      days: number;
      bytes: number;
      records: number;
      cutShort: boolean;
      total?: number | null;
    },
  ): void;
}

/**
 * Maximum size of an answer for several questions, in bytes: a larger one occupies the process
 * for longer than a unit is worth.
 */
const MAX_BYTES_TOGETHER = 4 * 1024 * 1024;
/**
 * Presumed size of a day while nothing is known of a dataset, in bytes. It is large, so that a first request is widened
 * to about a month at most.
 */
const PRESUMED_DAY_BYTES = 16_384;
/** The weight of older answers shrinks by this factor with each new one. */
const DECAY = 0.8;
/** Share of the number of records at which an answer was cut that requests stay below, since days differ. */
const MARGIN = 0.8;

/** The usual limits of an upstream that limits a request's days; the spec names no limit. */
const USUAL_LIMITS = [365, 30, 7, 1];
const usualDaysBelow = (days: number): number =>
  days === Infinity ? days : (USUAL_LIMITS.find((limit) => limit < days) ?? 1);

/** Maximum number of keys whose refusals are remembered, and of keys whose size per day is. */
const MAX_KEYS = 1000;

interface Seen {
  days: number;
  bytes: number;
}

const added = ({ days, bytes }: Seen, more: Seen): Seen => ({
  days: days * DECAY + more.days,
  bytes: bytes * DECAY + Math.max(1, more.bytes),
});

/** Learns how large the days of each key are: one series has a value a day, another one a value a year. */
function createDensities(expected = 0) {
  const seen = createBoundedMap<string, Seen>(MAX_KEYS);
  const density = ({ days, bytes }: Seen) => bytes / days;
  return {
    note(key: string, answer: Seen): void {
      seen.set(key, added(seen.get(key) ?? { days: 0, bytes: 0 }, answer));
    },
    of(key: string): number {
      const own = seen.get(key);
      if (own) return density(own);
      return Math.max(expected, ...[...seen.values()].map(density)) || PRESUMED_DAY_BYTES;
    },
  };
}

/** `bytesPerDay`: the expected size of a day of a key before its first answer, if that is known. */
export function createLengthLimit(maxBytes: number, bytesPerDay?: number): LengthLimit {
  const seen = { days: 0, bytes: 0, records: 0 };
  let maxRecords = Infinity;
  let longest = MAX_DAYS;
  /** The shortest length refused for any key since the last answer for as many days. */
  let shortestRefused = Infinity;
  const refused = createBoundedMap<string, number>(MAX_KEYS);
  const notFound = createBoundedMap<string, number>(MAX_KEYS);
  const densities = createDensities(bytesPerDay);

  function noteRefused(key: string, days: number): void {
    shortestRefused = Math.min(shortestRefused, days);
    refused.set(key, Math.min(days, refused.get(key) ?? Infinity));
  }

  /**
   * Learns the longest allowed length from an answer. One for more days than seemed to be allowed shows that the limit,
   * if any, is where more days were refused.
   */
  function learnLongest(key: string, days: number): void {
    const tooLong = refused.get(key) ?? 0;
    if (days >= shortestRefused) shortestRefused = Infinity;
    if (days > longest)
      longest = Math.max(days, Math.min(MAX_DAYS, usualDaysBelow(shortestRefused)));
    if (days < tooLong) longest = Math.min(longest, usualDaysBelow(tooLong));
    refused.delete(key);
  }

  const allowedDays = (key: string) =>
    Math.min(longest, usualDaysBelow(refused.get(key) ?? Infinity));

  function daysWithin(bytes: number, key: string): number {
    const allowed = allowedDays(key);
    if (seen.days === 0)
      return Math.max(1, Math.min(allowed, Math.floor(bytes / densities.of(key))));
    const byBytes = (bytes * seen.days) / seen.bytes;
    const byRecords =
      seen.records > 0 ? (maxRecords * MARGIN * seen.days) / seen.records : Infinity;
    return Math.max(1, Math.floor(Math.min(byBytes, byRecords, allowed)));
  }

  return {
    bytesPerDay: densities.of,
    allowedDays,
    maxDays: (key) => daysWithin(maxBytes, key),
    maxDaysTogether: (key) => daysWithin(Math.max(maxBytes, MAX_BYTES_TOGETHER), key),
    noteRefused,
    noteNotFound: (key, days) => notFound.set(key, days),
    noteAnswer(key, { days: asked, bytes, records, cutShort, total }) {
      const notFoundDays = notFound.get(key) ?? 0;
      notFound.delete(key);
      if (records > 0 && asked < notFoundDays) noteRefused(key, notFoundDays);
      learnLongest(key, asked);
      // The records of a cut answer are those of a part of its days: else the next one would be cut, too.
      const days = cutShort && total ? (asked * records) / total : asked;
      if (cutShort) maxRecords = Math.max(1, Math.min(maxRecords, records));
      // A complete answer with as many records shows that answers are not cut there.
      else if (records >= maxRecords) maxRecords = Infinity;
      // An answer without records, e.g. about years before a series began, tells nothing about its other days.
      if (records > 0) densities.note(key, { days, bytes });
      Object.assign(seen, added(seen, { days, bytes }));
      seen.records = seen.records * DECAY + records;
    },
  };
}
