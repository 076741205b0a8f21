import { onTestFinished, vi } from 'vitest';

/** Stops the clock of turns: on a busy machine, an operation's fields would begin in several turns. */
export function beginInOneTurn(): void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
}
