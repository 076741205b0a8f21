import { onTestFinished, vi } from 'vitest';

/** Stops the clock of turns: on a busy machine the fields of an operation would begin in several. */
export function beginInOneTurn(): void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
}
