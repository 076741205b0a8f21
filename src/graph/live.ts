import { createContextCache } from '@pothos/core';
import { METERS, startOperation, whenDone } from '../usage/operation.ts';
import { builder } from './builder.ts';
import { createChannel } from './channel.ts';
import type { Context, Gateway } from './context.ts';
import { createPoller, type Look, type Poller } from './poller.ts';

/** Live updates: one poller for each dataset key, which runs only while somebody listens. */

builder.subscriptionType({
  description: 'Live updates. All subscribers to the same data share their upstream requests.',
});

const MAX_REQUESTS = 100;
const TIMEOUT_MS = 30_000;

/** A look is an operation of its own; its units are booked as background. */
async function inBackground<T>(
  gateway: Gateway,
  look: (context: Context) => Promise<T>,
): Promise<T> {
  const deadline = gateway.now() + TIMEOUT_MS;
  const operation = startOperation({ maxRequests: MAX_REQUESTS, deadline });
  try {
    return await look({ gateway, operation });
  } finally {
    await whenDone(operation);
    for (const meter of METERS) gateway.background[meter] += operation.used[meter];
  }
}

/** The poller of a key, shared by all who ask for it while one of them listens. */
export function sharedPollers<K, T>(
  keyOf: (key: K) => string,
  look: (key: K, context: Context) => Promise<Look<T>>,
): (gateway: Gateway, key: K) => Poller<T> {
  const pollersOf = createContextCache((_gateway: Gateway) => new Map<string, Poller<T>>());
  return (gateway, key) => {
    const pollers = pollersOf(gateway);
    const id = keyOf(key);
    const poller =
      pollers.get(id) ??
      createPoller<T>({
        look: () => inBackground(gateway, (context) => look(key, context)),
        now: gateway.monotonic,
        onIdle: () => pollers.delete(id),
      });
    pollers.set(id, poller);
    return poller;
  };
}

const streams = createContextCache((_gateway: Gateway) => new Set<AsyncIterator<unknown>>());

/** Ends every subscription, so that a server can stop. */
export function endStreams(gateway: Gateway): void {
  for (const stream of streams(gateway)) void stream.return?.();
}

export interface Following<T, E> {
  gateway: Gateway;
  poller: Poller<T>;
  /** What a look holds that this subscriber has not been told yet. */
  news(value: T): readonly E[];
  /** How many unread events are kept for a slow reader. */
  capacity: number;
}

/** One subscriber's stream of what is new in the looks of a poller. */
export function follow<T, E>(following: Following<T, E>): AsyncIterableIterator<E> {
  const { gateway, poller, news, capacity } = following;
  const open = streams(gateway);
  const channel = createChannel<E>(capacity, () => {
    stop();
    open.delete(channel.stream);
  });
  open.add(channel.stream);
  const stop = poller.listen((value) => news(value).forEach(channel.push));
  return channel.stream;
}

/** News for who wants the latest state: the state, whenever it differs from the one before. */
export function whenChanged<T, E>(pick: (value: T) => E): (value: T) => readonly E[] {
  let last: string | undefined;
  return (value) => {
    const picked = pick(value);
    const text = JSON.stringify(picked);
    if (text === last) return [];
    last = text;
    return [picked];
  };
}

/** News for who waits for things to happen: those not there at the first look, each once. */
export function sinceFirstLook<T extends { id: string }>(): (now: readonly T[]) => readonly T[] {
  let seen: Set<string> | undefined;
  return (now) => {
    const known = seen;
    seen = new Set([...(known ?? []), ...now.map(({ id }) => id)]);
    return known ? now.filter(({ id }) => !known.has(id)) : [];
  };
}
