import { uptime } from 'node:os';
import type { Clock } from './time.ts';

/** Minimum time between two checks whether the machine has slept. */
const LOOK_MS = 1000;
/** Shorter sleeps are ignored: they do not matter, and some systems report their uptime in whole seconds. */
const MIN_SLEEP_MS = 5000;

/**
 * Creates a clock that keeps running while the machine sleeps: else data that were fresh before a sleep would still be
 * fresh after it. `uptimeSeconds` advances during a sleep, `awake` does not.
 */
export function countSleep(uptimeSeconds: () => number, awake: Clock): Clock {
  const asleepAt = (at: number) => uptimeSeconds() * 1000 - at;
  let lookedAt = awake();
  let before = asleepAt(lookedAt);
  let sleptMs = 0;
  function look(at: number): void {
    const now = asleepAt(at);
    if (now - before >= MIN_SLEEP_MS) sleptMs += now - before;
    [lookedAt, before] = [at, now];
  }
  return () => {
    const at = awake();
    if (at - lookedAt >= LOOK_MS) look(at);
    return at + sleptMs;
  };
}

/** Milliseconds since the process started, including time asleep; not affected when the machine's clock is set. */
export const sinceStart: Clock = countSleep(uptime, () => performance.now());
