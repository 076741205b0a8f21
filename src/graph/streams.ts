import { isDeepStrictEqual } from 'node:util';
import { createContextCache } from '@pothos/core';
import { Repeater, SlidingBuffer } from '@repeaterjs/repeater';
import { GraphQLError } from 'graphql';
import { createOpenCounts } from '../open-counts.ts';
import type { Context, Gateway } from './context.ts';
import type { Poller } from './poller.ts';

/** The events of one subscriber, made from what a poller finds. */

/**
 * A stream for one reader. `start` is called at the first read. It gets a function that adds a value and one that ends
 * the stream (if given an error, the last read fails with it), and returns a function to be called once the stream has
 * ended. Beyond `capacity` unread values the oldest are dropped, so that a slow reader costs no memory. `return()` ends
 * the stream at once, even while a read is waiting.
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

/** Streams that are being read: how to end each, and how many each party (a client by its name, or an address) has. */
const openStreams = createContextCache((_gateway: Gateway) => ({
  ends: new Set<() => void>(),
  byParty: createOpenCounts(),
}));

/** Ends every subscription, so that a server can stop. */
export function endStreams(gateway: Gateway): void {
  for (const end of openStreams(gateway).ends) end();
}

/** How many subscriptions all clients have open. */
export const openSubscriptions = (gateway: Gateway): number => openStreams(gateway).ends.size;

/** Who subscribes, and to what. */
interface Subscription<T> {
  context: Context;
  poller: Pick<Poller<T>, 'listen'>;
}

/**
 * A stream of the latest state: what `pick` takes from a polled value, first at once and then whenever what
 * `shown` takes from that has changed.
 */
export function streamOfState<T, E>(
  subscription: Subscription<T>,
  pick: (value: T) => E,
  shown: (picked: E) => unknown = (picked) => picked,
): AsyncIterableIterator<E> {
  return streamOf(subscription, whenChanged(pick, shown), 1);
}

/** Maximum number of unread records that are kept for a subscriber; beyond that the oldest are dropped. */
const MAX_UNREAD = 1000;

/** Which new records a subscriber wants. */
interface Wanted<R> {
  passes?(record: R): boolean;
  /** Whether none can come any more: the stream ends then, so that nobody pays for further polls. */
  isOver(): boolean;
}

/** A stream of new records: each that a poll found and that is wanted. */
export function streamOfNew<R>(
  subscription: Subscription<readonly R[]>,
  { passes = () => true, isOver }: Wanted<R>,
): AsyncIterableIterator<R> {
  const latest = fromSecondPollOn<R>();
  return streamOf(subscription, (added) => latest(added).filter(passes), MAX_UNREAD, isOver);
}

/**
 * One subscriber's stream of events, which listens to the poller while it is being read. Throws TOO_MANY_SUBSCRIPTIONS
 * if too many are open.
 */
function streamOf<T, E>(
  { context, poller }: Subscription<T>,
  eventsOf: (value: T) => readonly E[],
  capacity: number,
  isOver: () => boolean = () => false,
): AsyncIterableIterator<E> {
  const { gateway, resources, whenRevoked } = context;
  const { spender } = context.operation;
  const { party } = resources;
  const { ends, byParty } = openStreams(gateway);
  const refused = refusalOf(context);
  if (refused) throw refused;
  return createStream<E>(capacity, (push, end) => {
    // Streams count once they are read: of several that begin at the same moment, each saw the others' places free.
    const refusedMeanwhile = refusalOf(context);
    if (refusedMeanwhile) {
      end(refusedMeanwhile);
      return () => undefined;
    }
    ends.add(end);
    const leaveParty = byParty.begin(party);
    const leave = poller.listen({
      onValue(value) {
        eventsOf(value).forEach((event) => push(event));
        if (isOver()) end();
      },
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

/**
 * Returns TOO_MANY_SUBSCRIPTIONS if too many are open. As with places (pipeline/places.ts), a client may have as many as
 * it leaves free; this does not apply to clients without names, since all of them may come through one address.
 */
function refusalOf({ gateway, resources, whenRevoked }: Context): GraphQLError | undefined {
  const { ends, byParty } = openStreams(gateway);
  const { maxSubscriptions: max } = gateway.settings;
  const all = ends.size;
  // Only clients with names have a key that can be revoked.
  const own = whenRevoked ? byParty.of(resources.party) : 0;
  return own >= max - all ? tooManySubscriptions(all, own, max) : undefined;
}

function tooManySubscriptions(all: number, own: number, max: number): GraphQLError {
  const yours =
    own > 0 ? `, ${own} of them yours; a client may hold no more than it leaves free` : '';
  const message = `There are ${all} open subscriptions${yours}. The limit is ${max} (MAX_SUBSCRIPTIONS). Try again later.`;
  return new GraphQLError(message, {
    extensions: { code: 'TOO_MANY_SUBSCRIPTIONS', retryable: true },
  });
}

/** Returns what `pick` takes from a value whenever what is shown of it has changed, and nothing otherwise. */
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

/** For one subscriber: passes on what each poll found new, except for the first poll that it is told of. */
export function fromSecondPollOn<T>(): (added: readonly T[]) => readonly T[] {
  let isFirst = true;
  return (added) => {
    const passed = isFirst ? [] : added;
    isFirst = false;
    return passed;
  };
}
