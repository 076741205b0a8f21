import { uptime } from 'node:os';
import type { Clock } from './time.ts';

/** Minimum time between two checks whether the machine has slept. */
const CHECK_INTERVAL_MS = 1000;
/** Shorter sleeps are ignored: they do not matter, and some systems report their uptime in whole seconds. */
const MIN_SLEEP_MS = 5000;

/**
 * Creates a clock that keeps running while the machine sleeps: else data that were fresh before a sleep would still be
 * fresh after it. `uptimeSeconds` advances during a sleep, `awake` does not.
 */
export function countSleep(uptimeSeconds: () => number, awake: Clock): Clock {
  const asleepMsAt = (at: number) => uptimeSeconds() * 1000 - at;
  let checkedAt = awake();
  let asleepMsBefore = asleepMsAt(checkedAt);
  let sleptMs = 0;
  function checkForSleep(at: number): void {
    const asleepMs = asleepMsAt(at);
    if (asleepMs - asleepMsBefore >= MIN_SLEEP_MS) sleptMs += asleepMs - asleepMsBefore;
    [checkedAt, asleepMsBefore] = [at, asleepMs];
  }
  return () => {
    const at = awake();
    if (at - checkedAt >= CHECK_INTERVAL_MS) checkForSleep(at);
    return at + sleptMs;
  };
}

/** Milliseconds since the process started, including time asleep; not affected when the machine's clock is set. */
export const sinceStart: Clock = countSleep(uptime, () => performance.now());
