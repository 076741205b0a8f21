import type { Maybe } from '../maybe.ts';
import type { Gateway } from './context.ts';

/**
 * Makes the caches, and reads what is stored into them, before the first question comes: that one would have to
 * wait for it, and a process that has just started is slow.
 */

/** The caches of all datasets that there are. */
const caches: ((gateway: Gateway) => Preloaded)[] = [];

interface Preloaded {
  preload(storedKey: string): Maybe<unknown>;
}

/** Adds a dataset to those that are preloaded. */
export function registerPreload(cache: (gateway: Gateway) => Preloaded): void {
  caches.push(cache);
}

/** So many keys are read at most, within so many milliseconds; the rest is read when it is asked for. */
const MOST_KEYS = 200;
const MOST_MS = 250;
/** Reading ends once so much of the cache is full: what is read later must not evict what was read before. */
const MOST_OF_CACHE = 0.5;

/** Reads what was stored last into the caches, as much as can be read within a moment. */
export async function preload(gateway: Gateway): Promise<void> {
  const { shared, store, settings } = gateway;
  // Made even where nothing is shared: the first question would have to wait for that.
  const all = caches.map((cacheOf) => cacheOf(gateway));
  if (!shared) return;
  const end = performance.now() + MOST_MS;
  for (const key of await shared.recent('', MOST_KEYS)) {
    const isFull = store.size() > settings.cacheMaxBytes * MOST_OF_CACHE;
    if (isFull || performance.now() >= end) return;
    for (const cache of all) await preloadInto(cache, key);
  }
}

/** What cannot be read must not keep a process from starting: the question that needs it reads it again. */
async function preloadInto(cache: Preloaded, key: string): Promise<void> {
  try {
    await cache.preload(key);
  } catch {
    // That question reports the error.
  }
}
