import { createContextCache } from '@pothos/core';
import type { Gateway } from './context.ts';

/** Tells watchers that an answer has come, whoever asked for it. `T` is what an answer is about. */
export interface Watch<T> {
  watch(gateway: Gateway, watcher: (about: T) => void | Promise<void>): void;
  /** To be called by `onAnswer` (cache/requests.ts): watchers hear of the answer once it is cached. */
  notify(gateway: Gateway, about: T): void;
}

export function createWatch<T>(): Watch<T> {
  const watchersOf = createContextCache(
    (_gateway: Gateway) => new Set<(about: T) => void | Promise<void>>(),
  );
  return {
    watch: (gateway, watcher) => void watchersOf(gateway).add(watcher),
    notify(gateway, about) {
      for (const watcher of watchersOf(gateway)) queueMicrotask(() => void watcher(about));
    },
  };
}
