import { isDeepStrictEqual } from 'node:util';
import { createContextCache } from '@pothos/core';
import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import { GraphQLError } from 'graphql';
import { createOpenCounts } from '../open-counts.ts';
import type { Context, Gateway } from './context.ts';
import type { Poller } from './poller.ts';

/** The events of one subscriber, made of what a poller finds. */

/**
 * A stream for one reader. `start` is called at the first read; it gets a function that adds a value
 * and one that ends the stream (with an error: the last read then fails with it), and returns what is
 * to be done once the stream has ended. Beyond `capacity` unread values the oldest are dropped: a slow
 * reader costs no memory. `return()` ends the stream at once, even while a read is waiting.
 */
export function createStream<E>(
  capacity: number,
  start: (push: (value: E) => void, end: (error?: unknown) => void) => () => void,
): AsyncIterableIterator<E> {
  return new Repeater<E>(async (push, stop) => {
    const cleanUp = start((value) => void push(value), stop);
    await stop;
    cleanUp();
  }, new SlidingBuffer(capacity));
}

/** Streams that somebody reads: how to end each, and how many each party (a client by its name) has. */
const openStreams = createContextCache((_gateway: Gateway) => ({
  ends: new Set<() => void>(),
  byParty: createOpenCounts(),
}));

/** Ends every subscription, so that a server can stop. */
export function endStreams(gateway: Gateway): void {
  for (const end of openStreams(gateway).ends) end();
}

/** How many subscriptions are open, of all clients. */
export const openSubscriptions = (gateway: Gateway): number => openStreams(gateway).ends.size;

/** Who subscribes, and to what. */
interface Subscription<T> {
  context: Context;
  poller: Pick<Poller<T>, 'listen'>;
}

/** For who wants the latest state: what `pick` takes of a polled value, now and whenever what `shown` takes of that has changed. */
export function streamOfState<T, E>(
  subscription: Subscription<T>,
  pick: (value: T) => E,
  shown: (picked: E) => unknown = (picked) => picked,
): AsyncIterableIterator<E> {
  return streamOf(subscription, whenChanged(pick, shown), 1);
}

/** So many records that a subscriber has not read yet are kept; of more the oldest are dropped. */
const MAX_UNREAD = 1000;

/** For who wants each new record: those that a poll found and that `passes` lets through. */
export function streamOfNew<R>(
  subscription: Subscription<readonly R[]>,
  passes: (record: R) => boolean = () => true,
): AsyncIterableIterator<R> {
  const latest = fromSecondPollOn<R>();
  return streamOf(subscription, (added) => latest(added).filter(passes), MAX_UNREAD);
}

/**
 * One subscriber's stream of events, which listens to the poller while somebody reads it. Throws
 * TOO_MANY_SUBSCRIPTIONS where as many are open as there may be. As with places (pipeline/places.ts), a client may have as
 * many as it leaves; where clients have no names, all of them may come through one address.
 */
function streamOf<T, E>(
  { context, poller }: Subscription<T>,
  eventsOf: (value: T) => readonly E[],
  capacity: number,
): AsyncIterableIterator<E> {
  const { gateway, resources, whenRevoked } = context;
  const { spender } = context.operation;
  const { maxSubscriptions: max } = gateway.settings;
  const { party } = resources;
  const { ends, byParty } = openStreams(gateway);
  const all = ends.size;
  const own = whenRevoked ? byParty.of(party) : 0;
  if (own >= max - all) throw tooManySubscriptions(all, own, max);
  return createStream<E>(capacity, (push, end) => {
    ends.add(end);
    const leaveParty = byParty.begin(party);
    const leave = poller.listen({
      onValue: (value) => eventsOf(value).forEach((event) => push(event)),
      onGivenUp: end,
      spender,
    });
    const stopWaiting = whenRevoked?.(end);
    return () => {
      leave();
      stopWaiting?.();
      leaveParty();
      ends.delete(end);
    };
  });
}

function tooManySubscriptions(all: number, own: number, max: number): GraphQLError {
  const yours = own > 0 ? `, ${own} of them yours, and a client may have as many as it leaves` : '';
  const message = `There are ${all} open subscriptions${yours}; there may be ${max} (MAX_SUBSCRIPTIONS). Try later.`;
  return new GraphQLError(message, {
    extensions: { code: 'TOO_MANY_SUBSCRIPTIONS', retryable: true },
  });
}

/** What `pick` takes of a value, whenever what is shown of it has changed. */
function whenChanged<T, E>(
  pick: (value: T) => E,
  shown: (picked: E) => unknown,
): (value: T) => readonly E[] {
  let last: unknown;
  return (value) => {
    const picked = pick(value);
    const next = shown(picked);
    if (isDeepStrictEqual(next, last)) return [];
    last = next;
    return [picked];
  };
}

/** For one subscriber: passes on what a poll found new, except for the first poll that it is told of. */
export function fromSecondPollOn<T>(): (added: readonly T[]) => readonly T[] {
  let isFirst = true;
  return (added) => {
    const told = isFirst ? [] : added;
    isFirst = false;
    return told;
  };
}
