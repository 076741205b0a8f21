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
  poll(today: Day, load: Load<T>): Promise<readonly T[]>;
}

type Load<T> = (start: Day) => Promise<Loaded<T>>;

/** The records of a day may still come on the next one. */
const DAYS_BACK = 1;
/** The first day of records that are new to who begins to listen. */
export const firstNewDay = (today: Day): Day => today - DAYS_BACK;
/** After a longer time without an answer only so many days are asked for. */
const MAX_DAYS_BACK = 40;
/** What is refused so often in a row is not refused for a moment. */
const MOST_REFUSALS = 5;

/** For one poller. Records of days that the next poll need not ask for are forgotten, and are never new. */
export function createNewRecords<T extends Dated>(): NewRecords<T> {
  let seen: ReadonlyMap<string, Day> = new Map();
  /** The day before the last answer that was not stale, or before the first of all. */
  let start = Infinity;
  /** Of polls of more days than usual, in a row. */
  let refusals = 0;

  const startOn = (today: Day) =>
    Math.max(Math.min(start, firstNewDay(today)), today - MAX_DAYS_BACK);

  function newOf({ records, isStale }: Loaded<T>, today: Day): readonly T[] {
    const added = records.filter(({ id, day }) => day >= start && !seen.has(id));
    if (!isStale || start === Infinity) start = firstNewDay(today);
    const all = [...seen, ...records.map(({ id, day }) => [id, day] as const)];
    seen = new Map(all.filter(([, day]) => day >= start));
    return added.toSorted((a, b) => a.day - b.day);
  }

  /** Of all days that have to be asked for, or of the last ones where the upstream refuses so many. */
  async function loadDays(today: Day, load: Load<T>): Promise<Loaded<T>> {
    const [first, usual] = [startOn(today), firstNewDay(today)];
    try {
      const loaded = await load(first);
      refusals = 0;
      return loaded;
    } catch (error) {
      if (first === usual || !isRefusal(error)) throw error;
      refusals += 1;
      const { records, isStale } = await load(usual);
      // Where it may have been for a moment, the next poll asks for all of them again.
      return { records, isStale: isStale || refusals < MOST_REFUSALS };
    }
  }

  return { poll: async (today, load) => newOf(await loadDays(today, load), today) };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof MarketError && error.code === 'BAD_USER_INPUT';
