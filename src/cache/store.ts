import { LRUCache } from 'lru-cache';

/** The values of one dataset; what is here may be gone at the next look. */
export interface Shelf<T> {
  get(key: string): T | undefined;
  /** `bytes`: what the value weighs in memory, roughly. */
  set(key: string, value: T, bytes: number): void;
  /** Tells whether what is here now still is, without holding on to it. */
  seal(key: string): () => boolean;
}

/** All shelves together weigh at most so many bytes: what was used least recently goes first. */
export interface Store {
  shelf<T>(): Shelf<T>;
  /** Bytes held now. */
  size(): number;
}

/** A parsed record, with what is remembered of it, weighs about this many times its JSON. */
export const BYTES_IN_MEMORY = 5;

const ENTRY_OVERHEAD = 256;

/** The cache knows entries, and how to drop each; the values stay with their own shelf and its type. */
export function createStore(maxBytes: number): Store {
  const held = new LRUCache<object, () => void>({
    maxSize: maxBytes,
    dispose: (drop) => drop(),
  });

  let versions = 0;

  function createShelf<T>(): Shelf<T> {
    const entries = new Map<string, { value: T; version: number }>();
    function find(key: string) {
      const entry = entries.get(key);
      if (entry) held.get(entry);
      return entry;
    }
    return {
      get: (key) => find(key)?.value,
      seal(key) {
        const version = entries.get(key)?.version;
        return () => find(key)?.version === version;
      },
      set(key, value, bytes) {
        const before = entries.get(key);
        if (before) held.delete(before);
        const size = Math.ceil(bytes) + ENTRY_OVERHEAD;
        if (size > maxBytes) return;
        versions += 1;
        const entry = { value, version: versions };
        entries.set(key, entry);
        held.set(entry, () => entries.delete(key), { size });
      },
    };
  }

  return { shelf: createShelf, size: () => held.calculatedSize };
}
