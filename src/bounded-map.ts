import { LRUCache } from 'lru-cache';

/**
 * Creates a map that evicts the least recently used entries when it would hold more than `maxEntries`. It takes memory
 * only for the entries it holds: with the option `max` an LRUCache allocates for all of them up front, and there are so
 * many of these maps that this would add ten milliseconds to the first answer of a process.
 */
export const createBoundedMap = <K extends {}, V extends {}>(maxEntries: number): LRUCache<K, V> =>
  new LRUCache<K, V>({ maxSize: maxEntries, sizeCalculation: () => 1 });
