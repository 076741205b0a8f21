import { uptime } from 'node:os';
import type { Clock } from './time.ts';

/** So often it is looked whether the machine has slept. */
const LOOK_MS = 1000;
/** Shorter sleeps do not matter; some systems tell their uptime in whole seconds. */
const MIN_SLEEP_MS = 5000;

/**
 * A clock that goes on while the machine sleeps, or what was fresh before would be afterwards, too. `uptimeSeconds`
 * goes on meanwhile, `awake` does not.
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

/** Milliseconds since the process started, those included that the machine slept: setting its clock does not change it. */
export const sinceStart: Clock = countSleep(uptime, () => performance.now());
