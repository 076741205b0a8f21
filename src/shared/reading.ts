import { setImmediate } from 'node:timers/promises';

/** Who has spent what may be a lot to read: it is read in portions, and everybody else gets their turn in between. */

/** So many lines take a few milliseconds, with what is done with them. */
export const PORTION = 500;

let last: Promise<void> = Promise.resolve();

/** A turn of the event loop for one portion. Readers take turns: several hold up others no longer than one does. */
export const turnToRead = (): Promise<void> => (last = last.then(() => setImmediate()));

/** What a reader is told while the store cannot be used. */
export const cannotBeRead = (): Error => new Error('what was spent cannot be read now');
