/** What is new in a list that is polled, for subscribers who wait for new records. */

interface Dated {
  id: string;
  /** Days since 1970. */
  day: number;
}

/**
 * For one poller: of each poll those records that none before had, and of the first one none. `start`: the first day
 * that is polled; which records of days before it were there is forgotten, and none of them is new.
 */
export function createNewRecords<T extends Dated>(): (
  records: readonly T[],
  start: number,
) => readonly T[] {
  let seen: Map<string, number> | undefined;
  let lastStart = -Infinity;
  return (records, start) => {
    const before = seen;
    // A clock that was put back makes days be polled of which nobody knows what was there.
    const from = lastStart;
    lastStart = start;
    const still = [...(before ?? [])].filter(([, day]) => day >= start);
    seen = new Map([...still, ...records.map(({ id, day }) => [id, day] as const)]);
    return before ? records.filter(({ id, day }) => day >= from && !before.has(id)) : [];
  };
}

/** For one subscriber: what each poll found new, but for the first that it hears of. */
export function fromSecondPollOn<T>(): (added: readonly T[]) => readonly T[] {
  let isFirst = true;
  return (added) => {
    const told = isFirst ? [] : added;
    isFirst = false;
    return told;
  };
}
