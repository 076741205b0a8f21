/** Decides which values are worth their room in a cache. */
export interface CacheAdmission {
  /**
   * Whether to cache a value. `hash`: of its key. `bytes`: its size. Call it once for each request: it remembers the
   * hash, so that the next call for the same key is accepted.
   */
  wants(hash: number, bytes: number): boolean;
  /** Notes that the key will be requested again, so that its value is accepted. */
  expect(hash: number): void;
}

/** How many bytes of values are accepted at their first request; then a value is accepted only at its second one. */
const MAX_EAGER_BYTES = 8 * 1024 * 1024;
/** How many keys are remembered, by a hash of each. */
const MAX_REMEMBERED_KEYS = 65_536;

/** Creates an admission policy. Once much is cached, it assumes that a new key will hardly be requested again. */
export function createCacheAdmission(): CacheAdmission {
  const seenHashes = new Uint32Array(MAX_REMEMBERED_KEYS);
  let eagerBytes = 0;

  return {
    wants(hash, bytes) {
      // A hash collision does no harm: one of the two values is only cached a little early.
      const index = hash % MAX_REMEMBERED_KEYS;
      if (seenHashes[index] === hash) return true;
      seenHashes[index] = hash;
      eagerBytes += bytes;
      return eagerBytes <= MAX_EAGER_BYTES;
    },
    expect(hash) {
      seenHashes[hash % MAX_REMEMBERED_KEYS] = hash;
    },
  };
}
