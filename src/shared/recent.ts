/** Which answers a process reads before it is asked for them. */

/** So many of the last answers are looked through for their keys. */
export const LOOKED_THROUGH = 1000;
/** Compressed bytes. To read the answers of a key that have more would take tens of milliseconds. */
const READ_FAST_BYTES = 262_144;

/** An answer, and how long it is. */
interface Stored {
  key: string;
  bytes: number;
}

/** The keys of answers, of which the latest come first: see `Shared`. */
export function recentKeys(latest: readonly Stored[], prefix: string, most: number): string[] {
  const bytes = new Map<string, number>();
  for (const one of latest)
    if (one.key.startsWith(prefix)) bytes.set(one.key, (bytes.get(one.key) ?? 0) + one.bytes);
  const keys = [...bytes.keys()].filter((key) => bytes.get(key)! <= READ_FAST_BYTES);
  return keys.slice(0, most);
}
