import { CHECK_EVERY_BYTES, exceed, type Resources } from './resources.ts';
import { mustWait } from './time-slices.ts';

/** How the text of an answer is booked while it is written. */

/** Thrown where text is written, to write it in pieces instead; nobody but the writer sees it. */
export class TakesLonger extends Error {}
/** Thrown while text is written where the operation has failed by now, e.g. because its answer is too large. */
export class IsOver extends Error {}

/** Books a text by the number of bytes that are left after it. Throws IsOver or TakesLonger. */
export function leaveBytes(resources: Resources, left: number): void {
  resources.bytes = left;
  if (left >= resources.checkBelow) return;
  if (takeBytesChecked(resources)) throw new TakesLonger();
}

/** The same in pieces: the writer itself asks when to wait. Throws IsOver. */
export function leaveBytesInPieces(resources: Resources, left: number): void {
  resources.bytes = left;
  if (left < 0) exceed(resources, 'bytes');
  if (resources.error) throw new IsOver();
}

function takeBytesChecked(resources: Resources): boolean {
  resources.checkBelow = Math.max(0, resources.bytes - CHECK_EVERY_BYTES);
  leaveBytesInPieces(resources, resources.bytes);
  return mustWait(resources);
}
