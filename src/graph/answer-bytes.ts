import { CHECK_EVERY_BYTES, exceed, type Resources } from './resources.ts';
import { mustWait } from './time-slices.ts';

/** How the text of an answer is booked while it is written. */

/** Thrown where text is written, to write it in pieces instead; nobody but the writer sees it. */
export class TakesLonger extends Error {}
/** Thrown while text is written where the operation has failed by now, e.g. because its answer is too large. */
export class IsOver extends Error {}

/** Books a text that is written at once: `left` bytes remain after it. Throws IsOver or TakesLonger. */
export function setBytesLeft(resources: Resources, left: number): void {
  resources.bytes = left;
  if (left >= resources.checkBelow) return;
  resources.checkBelow = Math.max(0, left - CHECK_EVERY_BYTES);
  setBytesLeftInPieces(resources, left);
  if (mustWait(resources)) throw new TakesLonger();
}

/** Books a text that is written in pieces: the writer itself asks whether it must wait. Throws IsOver. */
export function setBytesLeftInPieces(resources: Resources, left: number): void {
  resources.bytes = left;
  if (left < 0) exceed(resources, 'bytes');
  if (resources.error) throw new IsOver();
}
