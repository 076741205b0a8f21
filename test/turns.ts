import { onTestFinished, vi } from 'vitest';

/** Longer than any turn, in milliseconds. */
const LONG_MS = 20;

/** Lets each field of each operation begin in a turn of its own, as on a busy machine. */
function beginInManyTurns(): void {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += LONG_MS));
  onTestFinished(() => clock.mockRestore());
}

/** For tests of what must not depend on how busy the machine is. */
export const TURNS = [
  ['at once', () => {}],
  ['in many turns', beginInManyTurns],
] as const;

/** Time enough for an operation by the clock of `beginInManyTurns`. */
export const LONG_OPERATIONS = { MAX_PROCESSOR_MS_PER_OPERATION: '1000000' };
