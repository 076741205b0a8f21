/** Which of the things that could be kept are worth their room. */
export interface CacheAdmission {
  /** `hash`: of what is asked for. `bytes`: what it would take. Ask once for each: it remembers the hash. */
  wants(hash: number, bytes: number): boolean;
  /** It will be asked for again: it is worth keeping. */
  expect(hash: number): void;
}

/** The first so many bytes since the start are kept at once; after that only what is asked for a second time. */
const AT_ONCE_BYTES = 8 * 1024 * 1024;
/** How many things are remembered, by a hash of each. */
const REMEMBERED = 65_536;

/** Once there is much to keep, what was never asked for before will hardly be asked for again. */
export function createCacheAdmission(): CacheAdmission {
  const asked = new Uint32Array(REMEMBERED);
  let keptAtOnce = 0;

  return {
    wants(hash, bytes) {
      // Two things of one hash do no harm: one of them is only kept a little early.
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
