import { setImmediate as othersFirst } from 'node:timers/promises';
import { beginStretch, type Budget, endStretch, type Turns } from '../graph/budget.ts';
import { ALONE } from '../graph/turn-lengths.ts';
import { createFairShare } from './fair-share.ts';
import { startStopwatch, type Stopwatch } from './stopwatch.ts';

/** So many steps of promises after its turn has come, a task has done its work or waits again. */
const STEPS = 4;
/** What a turn counts at least: the clock does not see shorter ones. */
const LEAST_MS = 0.05;

/** Shares the process between operations with much to do, and leaves time for all others. */
export function createTurns(): Turns {
  const queue = createFairShare<Budget>();
  let current: Budget | undefined;

  /** One task after the other, as long as there is time. */
  async function run(budget: Budget, until: number, stopwatch: Stopwatch): Promise<void> {
    beginStretch(budget);
    for (let next = budget.waiting.pop(); next; next = budget.waiting.pop()) {
      next();
      for (let i = 0; i < STEPS; i += 1) await undefined;
      if (performance.now() >= until) break;
    }
    const ms = stopwatch();
    queue.charge(budget.party, Math.max(ms, LEAST_MS));
    if (budget.since !== undefined) endStretch(budget, budget.since + ms);
  }

  /** What has begun comes first: many answers that are half done at a time need a lot of memory. */
  function add(budget: Budget): void {
    if (budget.hasBegun) queue.addFirst(budget.party, budget);
    else queue.add(budget.party, budget);
  }

  /** Those whose turn it is, until the round is over. */
  function* inTurn(until: number): Generator<Budget> {
    do {
      const budget = queue.take();
      if (!budget) return;
      budget.hasBegun = true;
      yield budget;
    } while (performance.now() < until);
  }

  async function runAll(): Promise<void> {
    turns.areWaited = true;
    while (queue.size() > 0) {
      await othersFirst();
      turns.heldMs = 0;
      turns.resumedAt = undefined;
      const until = performance.now() + turns.lengths.round;
      const stopwatch = startStopwatch();
      for (const budget of inTurn(until)) {
        current = budget;
        await run(budget, until, stopwatch);
        current = undefined;
        if (budget.waiting.length > 0) add(budget);
      }
    }
    turns.areWaited = false;
  }

  const turns: Turns = {
    heldMs: 0,
    areWaited: false,
    resumedAt: undefined,
    lengths: ALONE,
    afterOthers: setImmediate,
    wait(budget) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (budget.error) return promise;
      budget.waiting.push(resolve);
      // With more than this one it is among the others already.
      if (budget !== current && budget.waiting.length === 1) add(budget);
      if (!turns.areWaited) void runAll();
      return promise;
    },
  };
  return turns;
}
