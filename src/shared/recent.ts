/** Which stored answers a process loads in advance, before it is asked for them. */

/** How many of the latest answers are searched for their keys. */
export const MAX_SEARCHED_ANSWERS = 1000;
/** Maximum total size of a key's answers, compressed; keys with more are left out: reading takes too long. */
const MAX_PRELOADED_BYTES = 262_144;

/** A stored answer: its key and its size. */
interface Stored {
  key: string;
  bytes: number;
}

/** Returns the keys of answers, given and returned latest first: see `Shared.recent`. */
export function recentKeys(latest: readonly Stored[], prefix: string, maxKeys: number): string[] {
  const bytes = new Map<string, number>();
  for (const one of latest)
    if (one.key.startsWith(prefix)) bytes.set(one.key, (bytes.get(one.key) ?? 0) + one.bytes);
  const keys = [...bytes.keys()].filter((key) => bytes.get(key)! <= MAX_PRELOADED_BYTES);
  return keys.slice(0, maxKeys);
}
