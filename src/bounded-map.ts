import { LRUCache } from 'lru-cache';

/**
 * A map that forgets what was used longest ago when it would hold more than `most` entries. It takes memory only for
 * what it holds: with its option `max` an LRUCache takes it for all at once, and there are so many of them that a
 * process would spend ten milliseconds of its first answer on it.
 */
export const createBoundedMap = <K extends {}, V extends {}>(most: number): LRUCache<K, V> =>
  new LRUCache<K, V>({ maxSize: most, sizeCalculation: () => 1 });

/** Clients have few different headers. */
const MOST_HEADERS = 100;

/** The same function, which works out once what the value of a header means. */
export function remembered<T>(read: (header: string) => T): (header: string) => T {
  const known = createBoundedMap<string, { meaning: T }>(MOST_HEADERS);
  return (header) => {
    const one = known.get(header);
    if (one) return one.meaning;
    const meaning = read(header);
    known.set(header, { meaning });
    return meaning;
  };
}
