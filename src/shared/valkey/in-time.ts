import { setImmediate } from 'node:timers/promises';

/** Whether a server answers in time. */

/** What takes longer counts as away: answers must not wait for it. */
const AWAY_MS = 100;
const TICK_MS = 10;

export const LATE = Symbol('late');

/**
 * What comes in time, or LATE. A machine that is short of time is no reason to give the server up: a
 * moment in which this process stood still counts as one tick, however long it was.
 */
export async function inTime(sent: Promise<unknown>): Promise<unknown> {
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks === AWAY_MS / TICK_MS) void readArrived().then(() => resolve(LATE));
  }, TICK_MS);
  try {
    return await Promise.race([sent, late]);
  } finally {
    clearInterval(timer);
  }
}

/** Sockets are read between two of them. */
async function readArrived(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
