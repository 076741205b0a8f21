import { exceed, type Resources } from './resources.ts';

/** When an operation has held the process long enough, and has to let others run first. */

/** Whether whoever begins now has to wait for its turn. */
export const isBusy = ({ turns }: Resources): boolean =>
  turns !== undefined && turns.heldMs > turns.lengths.busy;

/** A time slice begins: from now on the operation holds the process. */
export function beginSlice(resources: Resources): void {
  resources.since = performance.now();
  resources.seenAt = resources.since;
}

/** No work takes longer between two looks at the clock. */
const LONGEST_PIECE_MS = 100;

/** Looks at the clock. Where more time has passed than work can have taken, the machine stood still. */
function look(resources: Resources, since: number): void {
  const now = performance.now();
  const stoodStill = Math.max(0, now - resources.seenAt - LONGEST_PIECE_MS);
  resources.since = since + stoodStill;
  resources.seenAt = now;
}

/** The operation no longer holds the process: what it took is booked. `now`: by default, when it last looked. */
export function endSlice(resources: Resources, now = resources.seenAt): void {
  if (resources.since === undefined) return;
  const ms = now - resources.since;
  resources.since = undefined;
  resources.processorMs -= ms;
  // mustWait looks at this, too, but is not called for fields that are no objects.
  if (resources.processorMs < 0) exceed(resources, 'processor time');
  if (resources.turns) resources.turns.heldMs += ms;
}

/** Ends its time slice where it has worked until this moment, and not only until it last looked at the clock. */
export function endSliceNow(resources: Resources): void {
  if (resources.since !== undefined) look(resources, resources.since);
  endSlice(resources);
}

/** Whether it has held the process long enough, and has to wait for its turn before it does more. */
export function mustWait(resources: Resources): boolean {
  const { turns, since } = resources;
  if (!turns) return false;
  if (since === undefined) {
    // It goes on after it has waited for something. Nothing is called when it is done with that: its time ends with
    // the next round of the event loop.
    beginSlice(resources);
    turns.resumedAt ??= resources.seenAt;
    turns.afterOthers(() => {
      turns.resumedAt = undefined;
      endSlice(resources);
    });
  } else {
    look(resources, since);
    if (resources.seenAt - (resources.since ?? since) > resources.processorMs)
      exceed(resources, 'processor time');
  }
  // Many that waited for the same thing go on together: they share one time slice.
  const from = turns.resumedAt ?? since ?? resources.seenAt;
  return resources.seenAt - from > turns.lengths.slice;
}

/** Resolves when it is the operation's turn; never, once its resources are used up. */
export function turnOf(resources: Resources): Promise<void> {
  return resources.turns?.wait(resources) ?? Promise.resolve();
}

/**
 * Resolves once the fields that begin together with this one have begun, those that wait for their turn, too; or once
 * the operation is over.
 */
export async function whenFieldsBegun(resources: Resources): Promise<void> {
  await undefined;
  if (resources.waiting.length === 0) return;
  await new Promise<void>((resolve) => void resources.onNoneWaiting.push(resolve));
}
