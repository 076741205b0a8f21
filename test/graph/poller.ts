import { createPoller, type PollResult } from '../../src/graph/poller.ts';
import type { Priority } from '../../src/spending/priority.ts';

/** A poller for tests with fake timers. */

export const TTL_MS = 1000;

/** A dataset that counts its polls; by default each finds their number so far. */
export function openPoller(
  found: (count: number) => PollResult<number> | Promise<PollResult<number>> = fresh,
) {
  const seen = { polls: 0, idle: 0, givenUp: 0 };
  const clock = { ahead: 0, stretch: 1 };
  const poller = createPoller({
    poll: async () => found((seen.polls += 1)),
    monotonic: () => Date.now() + clock.ahead,
    stretch: () => clock.stretch,
    retryAfter: (error, forMs) =>
      error instanceof RangeError
        ? undefined
        : Math.max(5000, error instanceof SyntaxError ? forMs : 0),
    onIdle: () => (seen.idle += 1),
  });
  const listen = (priority: Priority = 'NORMAL') => {
    const values: number[] = [];
    return {
      values,
      leave: poller.listen({
        onValue: (value) => values.push(value),
        onGivenUp: () => (seen.givenUp += 1),
        spender: { priority, name: () => '' },
      }),
    };
  };
  return { seen, clock, listen, poll: poller.look };
}

export const fresh = (value: number): PollResult<number> => ({
  value,
  nextAt: Date.now() + TTL_MS,
});
