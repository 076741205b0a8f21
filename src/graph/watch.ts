import { createContextCache } from '@pothos/core';
import type { Gateway } from './context.ts';

/** Who is told that an answer has come, whoever has asked for it. `T` is what answers are about. */
export function createWatch<T>() {
  const watchersOf = createContextCache((_gateway: Gateway) => new Set<(about: T) => void>());
  return {
    watch(gateway: Gateway, watcher: (about: T) => void): void {
      watchersOf(gateway).add(watcher);
    },
    /** To be called by `alsoTells` (cache/requests.ts): watchers hear of the answer once it is cached. */
    tell(gateway: Gateway, about: T): void {
      for (const watcher of watchersOf(gateway)) queueMicrotask(() => watcher(about));
    },
  };
}
