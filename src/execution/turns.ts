import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { beginSlice, endSlice } from '../graph/time-slices.ts';
import { type Resources, notifyNoneWaiting, type Turns } from '../graph/resources.ts';
import { UNSHARED } from '../graph/turn-lengths.ts';
import { createFairShare } from './fair-share.ts';
import { startStopwatch, type Stopwatch } from './stopwatch.ts';

/** How many rounds of microtasks a resumed task gets: by then it has done its work, or waits again. */
const MICROTASK_ROUNDS = 4;
/** Minimum milliseconds that a turn is charged for: the clock does not measure shorter ones. */
const MIN_CHARGE_MS = 0.05;

/**
 * Removes and returns the task that goes on next. Tasks added since the last one come first, so that what was begun is
 * finished, and in their own order: if a limit leaves room for only some fields, those are the first ones.
 */
function takeNext(resources: Resources): Resources['waiting'][number] | undefined {
  const { waiting } = resources;
  for (let i = resources.reversed, j = waiting.length - 1; i < j; i += 1, j -= 1)
    [waiting[i], waiting[j]] = [waiting[j]!, waiting[i]!];
  const next = waiting.pop();
  resources.reversed = waiting.length;
  return next;
}

/** Shares the process among operations with much to do, and leaves time for all others. */
export function createTurns(): Turns {
  const queue = createFairShare<Resources>();
  let current: Resources | undefined;

  /** Runs an operation's tasks one after the other, as long as there is time. */
  async function run(resources: Resources, until: number, stopwatch: Stopwatch): Promise<void> {
    beginSlice(resources);
    for (let next = takeNext(resources); next; next = takeNext(resources)) {
      next();
      for (let i = 0; i < MICROTASK_ROUNDS; i += 1) await undefined;
      if (performance.now() >= until) break;
    }
    if (resources.waiting.length === 0) notifyNoneWaiting(resources);
    const ms = stopwatch();
    queue.charge(resources.party, Math.max(ms, MIN_CHARGE_MS));
    if (resources.since !== undefined) endSlice(resources, resources.since + ms);
  }

  /** Operations that have had a turn come first: many half-finished answers would need a lot of memory. */
  function add(resources: Resources): void {
    if (resources.hadTurn) queue.addFirst(resources.party, resources);
    else queue.add(resources.party, resources);
  }

  /** Yields the operations whose turn it is, until the round is over. */
  function* inTurn(until: number): Generator<Resources> {
    do {
      const resources = queue.take();
      if (!resources) return;
      resources.hadTurn = true;
      yield resources;
    } while (performance.now() < until);
  }

  async function runAll(): Promise<void> {
    turns.hasWaiting = true;
    while (queue.size() > 0) {
      await yieldToOthers();
      turns.heldMs = 0;
      turns.resumedAt = undefined;
      const until = performance.now() + turns.lengths.round;
      const stopwatch = startStopwatch();
      for (const resources of inTurn(until)) {
        current = resources;
        await run(resources, until, stopwatch);
        current = undefined;
        if (resources.waiting.length > 0) add(resources);
      }
    }
    turns.hasWaiting = false;
  }

  const turns: Turns = {
    heldMs: 0,
    hasWaiting: false,
    resumedAt: undefined,
    lengths: UNSHARED,
    afterOthers: setImmediate,
    wait(resources) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (resources.error) return promise;
      resources.waiting.push(resolve);
      // If other tasks of the operation wait, it is in the queue already.
      if (resources !== current && resources.waiting.length === 1) add(resources);
      if (!turns.hasWaiting) void runAll();
      return promise;
    },
  };
  return turns;
}
