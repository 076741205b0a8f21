import type { Day } from '../time.ts';

/** What is new in a list that is polled, for subscribers who wait for new records. */

interface Dated {
  id: string;
  day: Day;
}

interface NewRecords<T> {
  /** The first day that a poll has to ask for: what came since the last answer is among its records. */
  startOn(today: Day): Day;
  /** The records of a poll that no poll before had; of the first poll none. */
  of(records: readonly T[], today: Day, isStale: boolean): readonly T[];
}

/** The records of a day may still come on the next one. */
const DAYS_BACK = 1;
/** The first day of records that are new to who begins to listen. */
export const firstNewDay = (today: Day): Day => today - DAYS_BACK;
/** After a longer time without an answer only so many days are asked for. */
const MAX_DAYS_BACK = 40;

/** For one poller. Records of days that the next poll need not ask for are forgotten, and are never new. */
export function createNewRecords<T extends Dated>(): NewRecords<T> {
  let seen: ReadonlyMap<string, Day> = new Map();
  /** The day before the last answer that was not stale, or before the first of all. */
  let start = Infinity;

  return {
    startOn: (today) => Math.max(Math.min(start, firstNewDay(today)), today - MAX_DAYS_BACK),
    of(records, today, isStale) {
      const added = records.filter(({ id, day }) => day >= start && !seen.has(id));
      if (!isStale || start === Infinity) start = firstNewDay(today);
      const all = [...seen, ...records.map(({ id, day }) => [id, day] as const)];
      seen = new Map(all.filter(([, day]) => day >= start));
      return added;
    },
  };
}
