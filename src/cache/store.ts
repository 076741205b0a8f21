import { LRUCache } from 'lru-cache';

/** The values of one dataset; what is here may be gone at the next look. */
export interface Shelf<T> {
  get(key: string): T | undefined;
  /** `bytes`: what the value weighs in memory, roughly. */
  set(key: string, value: T, bytes: number): void;
}

/** All shelves together weigh at most so many bytes: what was used least recently goes first. */
export interface Store {
  shelf<T>(name: string): Shelf<T>;
  /** Bytes held now. */
  size(): number;
}

/** A parsed record weighs about this many times its JSON. */
export const BYTES_IN_MEMORY = 3;

const ENTRY_OVERHEAD = 256;

/** The cache holds how to drop each value; the values stay with their own shelf and its type. */
export function createStore(maxBytes: number): Store {
  const held = new LRUCache<string, () => void>({
    maxSize: maxBytes,
    dispose: (drop, _key, reason) => {
      if (reason !== 'set') drop();
    },
  });

  return {
    shelf<T>(name: string): Shelf<T> {
      const values = new Map<string, T>();
      return {
        get(key) {
          held.get(`${name}\n${key}`);
          return values.get(key);
        },
        set(key, value, bytes) {
          values.set(key, value);
          const size = Math.ceil(bytes) + ENTRY_OVERHEAD;
          held.set(`${name}\n${key}`, () => values.delete(key), { size });
          if (size > maxBytes) values.delete(key);
        },
      };
    },
    size: () => held.calculatedSize,
  };
}
