import { setImmediate as othersFirst } from 'node:timers/promises';
import { beginStretch, type Budget, endStretch, type Turns } from '../graph/budget.ts';

/** All operations together run so long before the event loop serves what else there is. */
const ROUND_MS = 25;
/** Operations that begin after others have held the process so long wait for their turn. */
const BUSY_MS = 50;
/** So many steps of promises after its turn has come, a task has done its work or waits again. */
const STEPS = 4;

export interface SharedTurns extends Turns {
  /** Whether operations have held the process long enough since it last served all others. */
  isBusy(): boolean;
}

/** Shares the process between operations with much to do, and leaves time for all others. */
export function createTurns(): SharedTurns {
  const queue: Budget[] = [];
  let isRunning = false;
  let current: Budget | undefined;
  let heldMs = 0;

  /** One task after the other, as long as there is time. */
  async function run(budget: Budget, until: number): Promise<void> {
    beginStretch(budget);
    for (let next = budget.waiting.pop(); next; next = budget.waiting.pop()) {
      next();
      for (let i = 0; i < STEPS; i += 1) await undefined;
      if (performance.now() >= until) break;
    }
    endStretch(budget, performance.now());
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      await othersFirst();
      heldMs = 0;
      const until = performance.now() + ROUND_MS;
      for (let budget = queue.shift(); budget; budget = queue.shift()) {
        current = budget;
        await run(budget, until);
        current = undefined;
        if (budget.waiting.length > 0) queue.push(budget);
        if (performance.now() >= until) break;
      }
    }
    isRunning = false;
  }

  return {
    wait(budget) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (budget.error) return promise;
      budget.waiting.push(resolve);
      if (budget !== current && !queue.includes(budget)) queue.push(budget);
      if (!isRunning) void runAll();
      return promise;
    },
    afterOthers: (task) => void setImmediate(task),
    held(ms) {
      heldMs += ms;
    },
    isBusy: () => heldMs > BUSY_MS,
  };
}
