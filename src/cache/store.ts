import { LRUCache } from 'lru-cache';

/** The values of one dataset; what is here may be gone at the next look. */
export interface Shelf<T> {
  get(key: string): T | undefined;
  /** `bytes`: what the value weighs in memory, roughly. */
  set(key: string, value: T, bytes: number): void;
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

  function createShelf<T>(): Shelf<T> {
    const entries = new Map<string, { value: T }>();
    return {
      get(key) {
        const entry = entries.get(key);
        if (entry) held.get(entry);
        return entry?.value;
      },
      set(key, value, bytes) {
        const before = entries.get(key);
        if (before) held.delete(before);
        const size = Math.ceil(bytes) + ENTRY_OVERHEAD;
        if (size > maxBytes) return;
        const entry = { value };
        entries.set(key, entry);
        held.set(entry, () => entries.delete(key), { size });
      },
    };
  }

  return { shelf: createShelf, size: () => held.calculatedSize };
}
