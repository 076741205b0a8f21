import { setImmediate as othersFirst } from 'node:timers/promises';
import { beginStretch, type Budget, endStretch, type Turns } from '../graph/budget.ts';

/** All operations together run so long before the event loop serves what else there is. */
const ROUND_MS = 25;
/** So many steps of promises after its turn has come, a task has done its work or waits again. */
const STEPS = 4;

/** Shares the process between operations with much to do, and leaves time for all others. */
export function createTurns(): Turns {
  const queue: Budget[] = [];
  let isRunning = false;
  let current: Budget | undefined;

  /** One task after the other, as long as there is time. */
  async function run(budget: Budget, until: number): Promise<void> {
    const began = process.threadCpuUsage();
    beginStretch(budget);
    for (let next = budget.waiting.pop(); next; next = budget.waiting.pop()) {
      next();
      for (let i = 0; i < STEPS; i += 1) await undefined;
      if (performance.now() >= until) break;
    }
    // On a busy machine the clock goes on while this process waits for a processor.
    const { user, system } = process.threadCpuUsage(began);
    if (budget.since !== undefined) endStretch(budget, budget.since + (user + system) / 1000);
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      await othersFirst();
      turns.heldMs = 0;
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

  const turns: Turns = {
    heldMs: 0,
    afterOthers: setImmediate,
    wait(budget) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (budget.error) return promise;
      budget.waiting.push(resolve);
      if (budget !== current && !queue.includes(budget)) queue.push(budget);
      if (!isRunning) void runAll();
      return promise;
    },
  };
  return turns;
}
