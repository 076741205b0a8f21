import { exceed, type Resources } from './resources.ts';

/** Decides when an operation has held the process long enough and has to let others run first. */

/** Whether an operation that begins now has to wait for its turn. */
export const isBusy = ({ turns }: Resources): boolean =>
  turns !== undefined && turns.heldMs > turns.lengths.busy;

/** Begins a time slice: from now on the operation holds the process. */
export function beginSlice(resources: Resources): void {
  resources.since = performance.now();
  resources.seenAt = resources.since;
}

/** Longest time that work is presumed to take between two checks of the clock, in milliseconds. */
const LONGEST_PIECE_MS = 100;

/**
 * Checks the clock. If more time has passed than work can have taken, the machine stood
 * still: the excess is not counted.
 */
function checkClock(resources: Resources, since: number): void {
  const now = performance.now();
  const stoodStill = Math.max(0, now - resources.seenAt - LONGEST_PIECE_MS);
  resources.since = since + stoodStill;
  resources.seenAt = now;
}

/**
 * Ends a time slice: the operation no longer holds the process, and the time that it took is booked. `now`: by default,
 * when the clock was last checked for it.
 */
export function endSlice(resources: Resources, now = resources.seenAt): void {
  if (resources.since === undefined) return;
  const ms = now - resources.since;
  resources.since = undefined;
  resources.processorMs -= ms;
  // mustWait checks this, too, but is not called for fields without subfields.
  if (resources.processorMs < 0) exceed(resources, 'processor time');
  if (resources.turns) resources.turns.heldMs += ms;
}

/** Ends the time slice of an operation that has worked until this moment, not only until the clock was last checked. */
export function endSliceNow(resources: Resources): void {
  if (resources.since !== undefined) checkClock(resources, resources.since);
  endSlice(resources);
}

/** Whether the operation has held the process long enough, and has to wait for its turn before it does more. */
export function mustWait(resources: Resources): boolean {
  const { turns, since } = resources;
  if (!turns) return false;
  if (since === undefined) {
    // It resumes after waiting for something other than its turn. Nothing is called when it is done with that, so its
    // slice ends with the next round of the event loop.
    beginSlice(resources);
    turns.resumedAt ??= resources.seenAt;
    turns.afterOthers(() => {
      turns.resumedAt = undefined;
      endSlice(resources);
    });
  } else {
    checkClock(resources, since);
    if (resources.seenAt - (resources.since ?? since) > resources.processorMs)
      exceed(resources, 'processor time');
  }
  // Operations that waited for the same thing resume together, and share one time slice.
  const from = turns.resumedAt ?? since ?? resources.seenAt;
  return resources.seenAt - from > turns.lengths.slice;
}

/** Resolves when it is the operation's turn; never if its resources are used up. */
export function turnOf(resources: Resources): Promise<void> {
  return resources.turns?.wait(resources) ?? Promise.resolve();
}

/**
 * Resolves once all fields that begin together with this one have begun, including those that wait for their turn,
 * or once the operation is over.
 */
export async function whenFieldsBegun(resources: Resources): Promise<void> {
  await undefined;
  // While others wait for the same, it waits behind them.
  if (resources.waiting.length === 0 && resources.onNoneWaiting.length === 0) return;
  await new Promise<void>((resolve) => void resources.onNoneWaiting.push(resolve));
}
