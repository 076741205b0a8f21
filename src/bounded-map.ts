import { LRUCache } from 'lru-cache';

/**
 * A map that forgets what was used longest ago when it would hold more than `most` entries. It takes memory only for
 * what it holds: with its option `max` an LRUCache takes it for all at once, and there are so many of them that a
 * process would spend ten milliseconds of its first answer on it.
 */
export const createBoundedMap = <K extends {}, V extends {}>(most: number): LRUCache<K, V> =>
  new LRUCache<K, V>({ maxSize: most, sizeCalculation: () => 1 });
