import type { Maybe } from '../maybe.ts';
import type { Gateway } from './context.ts';

/**
 * Makes the caches, and reads what is stored into them, before the first question comes: that one would have to
 * wait for it, and a process that has just started is slow.
 */

/** The caches of all datasets that there are. */
const caches: ((gateway: Gateway) => Preloaded)[] = [];

interface Preloaded {
  preload(storedKey: string): Maybe<boolean>;
}

/** Adds a dataset to those that are preloaded. */
export function preloads(cache: (gateway: Gateway) => Preloaded): void {
  caches.push(cache);
}

/** The rest is read when it is asked for. */
const MOST_KEYS = 200;
const MOST_MS = 250;
/** What is filed last must not evict what is filed first. */
const MOST_OF_CACHE = 0.5;

/** Takes up what was stored last, as much as can be read within a moment; says how many keys. */
export async function preload(gateway: Gateway): Promise<number> {
  const { shared, store, settings } = gateway;
  const all = caches.map((cacheOf) => cacheOf(gateway));
  if (!shared) return 0;
  const end = performance.now() + MOST_MS;
  const keys = await shared.recent('', MOST_KEYS);
  let count = 0;
  for (const key of keys) {
    const isFull = store.size() > settings.cacheMaxBytes * MOST_OF_CACHE;
    if (isFull || performance.now() >= end) break;
    for (const cache of all) if (await isTaken(cache, key)) count += 1;
  }
  return count;
}

/** What cannot be read must not keep a process from starting: whoever asks for it is told. */
async function isTaken(cache: Preloaded, key: string): Promise<boolean> {
  try {
    return await cache.preload(key);
  } catch {
    return false;
  }
}
