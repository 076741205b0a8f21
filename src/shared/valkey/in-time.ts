import { afterPendingIO } from '../waiting.ts';

/** Whether a server answers in time. */

/** How long a reply may take; a slower server counts as away, since responses must not wait for it. */
const REPLY_TIMEOUT_MS = 100;
const TICK_MS = 10;

export const LATE = Symbol('late');

/**
 * Resolves to the reply if it comes in time, else to LATE; one that has arrived by then, but was not read yet, is in
 * time. A busy machine is no reason to give up the server: a moment in which this process stood still counts as one
 * tick, however long it was.
 */
export async function inTime(sent: Promise<unknown>): Promise<unknown> {
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks === REPLY_TIMEOUT_MS / TICK_MS) void afterPendingIO().then(() => resolve(LATE));
  }, TICK_MS);
  try {
    return await Promise.race([sent, late]);
  } finally {
    clearInterval(timer);
  }
}
