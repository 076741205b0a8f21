import { isRefused } from '../cache/cached.ts';
import type { Day } from '../time.ts';

/** Finds what is new in a polled list, for subscribers to new records. */

interface Dated {
  id: string;
  day: Day;
}

interface Loaded<T> {
  records: readonly T[];
  isStale: boolean;
  /** Whether the answer is likely to be a mistake of the upstream: what it lacks may have been there before. */
  isDoubtful?: boolean;
  /** The first day of the records, if they cover days before those that were asked for. */
  from?: Day;
}

interface NewRecords<T> {
  /**
   * Polls the days since the last answer, and returns the records that no earlier poll has seen, the earliest first;
   * none up to the first answer that is not doubtful. If the upstream refuses so many days, those from `firstNewDay` on
   * are polled instead.
   */
  poll(today: Day, load: Load<T>): Promise<readonly T[]>;
}

type Load<T> = (start: Day) => Promise<Loaded<T>>;

/** How many days before today a poll begins: the records of a day may still come on the next one. */
const DAYS_BACK = 1;
/** The day from which on a subscriber that begins to listen may wait for records. */
export const firstNewDay = (today: Day): Day => today - DAYS_BACK;
/** How many days before today a poll begins at the earliest, however long ago the last answer came. */
const MAX_DAYS_BACK = 40;
/** Number of refusals in a row from which a refusal is no longer presumed to be temporary. */
const MAX_REFUSALS = 5;

/**
 * Keeps track of what one poller has seen. Records of days that the last answer did not cover are forgotten, and never
 * count as new.
 */
export function createNewRecords<T extends Dated>(): NewRecords<T> {
  let seen: ReadonlyMap<string, Day> = new Map();
  /** The day before the last answer that was not stale, or before the very first one; Infinity until then. */
  let start = Infinity;
  /** The first day that this answer covered. */
  let covered = Infinity;
  /** How many polls in a row were refused because they asked for more days than usual. */
  let refusals = 0;

  const startOn = (today: Day) =>
    Math.max(Math.min(start, firstNewDay(today)), today - MAX_DAYS_BACK);

  function newOf(loaded: Loaded<T>, today: Day): readonly T[] {
    const { records, isStale, isDoubtful = false, from = Infinity } = loaded;
    // Everything that it lacks would be told as new with the next answer.
    if (isDoubtful && start === Infinity) return [];
    const added = records.filter(({ id, day }) => day >= covered && !seen.has(id));
    if (!(isStale || isDoubtful) || start === Infinity) {
      start = firstNewDay(today);
      covered = Math.min(from, start);
    }
    const all = [...seen, ...records.map(({ id, day }) => [id, day] as const)];
    seen = new Map(all.filter(([, day]) => day >= covered));
    return added.toSorted((a, b) => a.day - b.day);
  }

  /** Loads all days that have to be asked for, or only the latest ones if the upstream refuses so many. */
  async function loadDays(today: Day, load: Load<T>): Promise<Loaded<T>> {
    const [first, usual] = [startOn(today), firstNewDay(today)];
    try {
      const loaded = await load(first);
      refusals = 0;
      return loaded;
    } catch (error) {
      if (first === usual || !isRefused(error)) throw error;
      refusals += 1;
      const loaded = await load(usual);
      // While the refusal may be temporary, the next poll asks for all of these days again.
      return { ...loaded, isStale: loaded.isStale || refusals < MAX_REFUSALS };
    }
  }

  return { poll: async (today, load) => newOf(await loadDays(today, load), today) };
}
