/** What is new in a list that is polled, for subscribers who wait for new records. */

interface Dated {
  id: string;
  /** Days since 1970. */
  day: number;
}

/**
 * For one poller: returns the records of a poll that no poll before had; of the first poll none. `start` is the first day
 * that is polled: records of earlier days are forgotten. Those of days that the last poll did not cover are never new.
 */
export function createNewRecords<T extends Dated>(): (
  records: readonly T[],
  start: number,
) => readonly T[] {
  let seen: Map<string, number> | undefined;
  let lastStart = -Infinity;
  return (records, start) => {
    const before = seen;
    // Where the clock was put back, days are polled that the last poll did not cover.
    const from = lastStart;
    lastStart = start;
    const still = [...(before ?? [])].filter(([, day]) => day >= start);
    seen = new Map([...still, ...records.map(({ id, day }) => [id, day] as const)]);
    return before ? records.filter(({ id, day }) => day >= from && !before.has(id)) : [];
  };
}
