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
const AT_ONCE_BYTES = 8 * 1024 * 1024;
/** How many keys are remembered, by a hash of each. */
const REMEMBERED = 65_536;

/** Creates an admission policy. Once much is cached, it assumes that a new key will hardly be requested again. */
export function createCacheAdmission(): CacheAdmission {
  const asked = new Uint32Array(REMEMBERED);
  let keptAtOnce = 0;

  return {
    wants(hash, bytes) {
      // A hash collision does no harm: one of the two values is only cached a little early.
      const index = hash % REMEMBERED;
      if (asked[index] === hash) return true;
      asked[index] = hash;
      keptAtOnce += bytes;
      return keptAtOnce <= AT_ONCE_BYTES;
    },
    expect(hash) {
      asked[hash % REMEMBERED] = hash;
    },
  };
}
