import { type Link, openLink } from '../../src/workers/link.ts';

/** Two ends of one channel, as between two processes. */
export function linkPair(): [Link, Link] {
  const listeners: ((message: unknown) => void)[] = [];
  const end = (own: number) =>
    openLink({
      send: (message) => queueMicrotask(() => listeners[1 - own]?.(structuredClone(message))),
      onMessage: (listener) => void (listeners[own] = listener),
    });
  return [end(0), end(1)];
}
