import { setImmediate } from 'node:timers/promises';

/** Whether a server answers in time. */

/** How long a reply may take; a slower server counts as away, since responses must not wait for it. */
const REPLY_TIMEOUT_MS = 100;
const TICK_MS = 10;

export const LATE = Symbol('late');

/**
 * Resolves to the reply if it comes in time, else to LATE. A busy machine is no reason to give up the server: a moment
 * in which this process stood still counts as one tick, however long it was.
 */
export async function inTime(sent: Promise<unknown>): Promise<unknown> {
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks === REPLY_TIMEOUT_MS / TICK_MS) void drainSockets().then(() => resolve(LATE));
  }, TICK_MS);
  try {
    return await Promise.race([sent, late]);
  } finally {
    clearInterval(timer);
  }
}

/** Lets what has arrived be read: sockets are read between two immediates. */
async function drainSockets(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
