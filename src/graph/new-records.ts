import type { Day } from '../time.ts';
import { MarketError } from '../upstream/errors.ts';

/** What is new in a list that is polled, for subscribers who wait for new records. */

interface Dated {
  id: string;
  day: Day;
}

interface Loaded<T> {
  records: readonly T[];
  isStale: boolean;
}

interface NewRecords<T> {
  /**
   * Polls the days from that of the last answer on, and gives the records that no poll before had, the earliest first; of
   * the first poll none. Where the upstream refuses so many days, those from `firstNewDay` on are polled instead.
   */
  poll(today: Day, load: (start: Day) => Promise<Loaded<T>>): Promise<readonly T[]>;
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

  const startOn = (today: Day) =>
    Math.max(Math.min(start, firstNewDay(today)), today - MAX_DAYS_BACK);

  function newOf({ records, isStale }: Loaded<T>, today: Day): readonly T[] {
    const added = records.filter(({ id, day }) => day >= start && !seen.has(id));
    if (!isStale || start === Infinity) start = firstNewDay(today);
    const all = [...seen, ...records.map(({ id, day }) => [id, day] as const)];
    seen = new Map(all.filter(([, day]) => day >= start));
    return added.toSorted((a, b) => a.day - b.day);
  }

  return {
    async poll(today, load) {
      const [first, usual] = [startOn(today), firstNewDay(today)];
      const loaded = load(first).catch((error: unknown) => {
        if (first < usual && isRefusal(error)) return load(usual);
        throw error;
      });
      return newOf(await loaded, today);
    },
  };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof MarketError && error.code === 'BAD_USER_INPUT';
