import type { Maybe } from '../maybe.ts';
import type { Gateway } from './context.ts';

/**
 * Creates the caches, and reads stored answers into them, before the first question comes: it would have to wait for
 * that, and a process that has just started is slow.
 */

/** The caches of all datasets. */
const caches: ((gateway: Gateway) => Preloaded)[] = [];

interface Preloaded {
  preload(storedKey: string): Maybe<unknown>;
}

/** Adds a dataset to those that are preloaded. */
export function registerPreload(cache: (gateway: Gateway) => Preloaded): void {
  caches.push(cache);
}

/**
 * Maximum number of keys that are read, and maximum time for it in milliseconds; the rest is read when it is asked for.
 */
const MAX_KEYS = 200;
const MAX_MS = 250;
/** Share of the cache at which reading ends: what is read later must not evict what was read before. */
const MAX_CACHE_SHARE = 0.5;

/** Reads the most recently stored answers into the caches, as many as can be read within a moment. */
export async function preload(gateway: Gateway): Promise<void> {
  const { shared, store, settings } = gateway;
  // Created even if nothing is shared: otherwise the first question would have to wait for it.
  const all = caches.map((cacheOf) => cacheOf(gateway));
  if (!shared) return;
  const end = performance.now() + MAX_MS;
  for (const key of await shared.recent('', MAX_KEYS)) {
    const isFull = store.size() > settings.cacheMaxBytes * MAX_CACHE_SHARE;
    if (isFull || performance.now() >= end) return;
    // A failure must not keep a process from starting: the question that needs the key reads it again, and reports it.
    await Promise.allSettled(all.map(async (cache) => cache.preload(key)));
  }
}
