import { setImmediate as othersFirst } from 'node:timers/promises';
import { createFairQueue } from '../fair-queue.ts';
import { beginStretch, type Budget, endStretch, type Turns } from '../graph/budget.ts';

/** All operations together run so long before the event loop serves what else there is. */
const ROUND_MS = 10;
/** So many steps of promises after its turn has come, a task has done its work or waits again. */
const STEPS = 4;

/** Shares the process between operations with much to do, and leaves time for all others. */
export function createTurns(): Turns {
  const queue = createFairQueue<Budget>();
  const queued = new Set<Budget>();
  const begun = new WeakSet<Budget>();
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

  /** What has begun comes first: many answers that are half done at a time need a lot of memory. */
  function add(budget: Budget): void {
    queued.add(budget);
    if (begun.has(budget)) queue.addFirst(budget);
    else queue.add(budget);
  }

  /** Those whose turn it is, until the round is over. */
  function* inTurn(until: number): Generator<Budget> {
    do {
      const [budget] = queue.take(1);
      if (!budget) return;
      queued.delete(budget);
      begun.add(budget);
      yield budget;
    } while (performance.now() < until);
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    while (queue.size() > 0) {
      await othersFirst();
      turns.heldMs = 0;
      turns.resumedAt = undefined;
      const until = performance.now() + ROUND_MS;
      for (const budget of inTurn(until)) {
        current = budget;
        await run(budget, until);
        current = undefined;
        if (budget.waiting.length > 0) add(budget);
      }
    }
    isRunning = false;
  }

  const turns: Turns = {
    heldMs: 0,
    resumedAt: undefined,
    afterOthers: setImmediate,
    wait(budget) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (budget.error) return promise;
      budget.waiting.push(resolve);
      if (budget !== current && !queued.has(budget)) add(budget);
      if (!isRunning) void runAll();
      return promise;
    },
  };
  return turns;
}
