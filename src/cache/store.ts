import { LRUCache } from 'lru-cache';

/** The memory of all caches together: it counts bytes, and evicts the least recently used values. */

/** The values of one cache under keys of their own; each may be evicted at any time. */
export interface Namespace<T, K extends string | number = string> {
  get(key: K): T | undefined;
  /** The size of the whole store. */
  readonly maxBytes: number;
  /** `bytes`: the value's approximate size in memory. A value larger than the whole store leaves the key empty. */
  set(key: K, value: T, bytes: number): void;
  /**
   * The number noted for the key (by catch-up.ts: that of the last stored answer that it has read), 0 before that;
   * undefined if there is no value.
   */
  mark(key: K): number | undefined;
  /** The mark stays when the value is replaced, and is lost when the key is evicted. */
  setMark(key: K, mark: number): void;
  /** Returns a check of whether the value cached now is still there; the check does not keep it in memory. */
  versionCheck(key: K): () => boolean;
}

/** Holds at most `maxBytes`, whichever namespace the values belong to. */
export interface Store {
  namespace<T, K extends string | number = string>(): Namespace<T, K>;
  /** Bytes in use. */
  size(): number;
  /** How many values there are. */
  entries(): number;
}

const ENTRY_OVERHEAD = 256;

interface Entry<T> {
  value: T;
  version: number;
  /** The version counter at the last access. */
  usedIn: number;
  mark: number;
}

/**
 * The LRU cache knows of each entry only its size and how to drop it; the values stay in their
 * namespace, which knows their type.
 */
export function createStore(maxBytes: number): Store {
  const entriesByUse = new LRUCache<object, () => void>({
    maxSize: maxBytes,
    dispose: (drop) => drop(),
  });

  let versions = 0;

  function createNamespace<T, K extends string | number>(): Namespace<T, K> {
    const entries = new Map<K, Entry<T>>();
    function find(key: K) {
      const entry = entries.get(key);
      // Only storing a value can evict others: until the next one is stored, one noted use
      // is as good as many, and cheaper.
      if (entry && entry.usedIn !== versions) {
        entry.usedIn = versions;
        entriesByUse.get(entry);
      }
      return entry;
    }
    return {
      maxBytes,
      get: (key) => find(key)?.value,
      mark: (key) => entries.get(key)?.mark,
      setMark(key, mark) {
        const entry = entries.get(key);
        if (entry) entry.mark = mark;
      },
      versionCheck(key) {
        const version = entries.get(key)?.version;
        return () => find(key)?.version === version;
      },
      set(key, value, bytes) {
        const before = entries.get(key);
        if (before) entriesByUse.delete(before);
        const size = Math.ceil(bytes) + ENTRY_OVERHEAD;
        if (size > maxBytes) return;
        versions += 1;
        const entry = { value, version: versions, usedIn: versions, mark: before?.mark ?? 0 };
        entries.set(key, entry);
        entriesByUse.set(entry, () => entries.delete(key), { size });
      },
    };
  }

  return {
    namespace: createNamespace,
    size: () => entriesByUse.calculatedSize,
    entries: () => entriesByUse.size,
  };
}
