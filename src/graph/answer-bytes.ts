import { CHECK_EVERY_CHARACTERS, exceed, type Resources } from './resources.ts';
import { mustWait } from './time-slices.ts';

/** How the text of an answer is booked to the operation's resources while it is written. */

/** Thrown while text is written at once, if that takes too long: the writer catches it and writes in pieces. */
export class TakesLonger extends Error {}
/** Thrown while text is written, if the operation has failed meanwhile, e.g. because its answer is too large. */
export class IsOver extends Error {}

/** Books text that is written at once; `left` is how many characters remain after it. Throws IsOver or TakesLonger. */
export function setCharactersLeft(resources: Resources, left: number): void {
  resources.characters = left;
  if (left >= resources.checkBelow) return;
  resources.checkBelow = Math.max(0, left - CHECK_EVERY_CHARACTERS);
  setCharactersLeftInPieces(resources, left);
  if (mustWait(resources)) throw new TakesLonger();
}

/** Books text that is written in pieces: the writer itself checks whether it must wait. Throws IsOver. */
export function setCharactersLeftInPieces(resources: Resources, left: number): void {
  resources.characters = left;
  if (left < 0) exceed(resources, 'characters');
  if (resources.error) throw new IsOver();
}
