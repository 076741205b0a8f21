import { setImmediate } from 'node:timers/promises';

/** Reading who has spent what may take long: it is done in portions, so that other work gets its turn in between. */

/** Maximum number of lines in a portion: reading and processing them takes a few milliseconds. */
export const PORTION_LINES = 500;

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, for one portion. Readers take turns, so that several delay other work no
 * longer than one does.
 */
export const waitForTurn = (): Promise<void> => (last = last.then(() => setImmediate()));

/** The error that a reader gets while the store cannot be used. */
export const unreadableError = (): Error => new Error('the spending records cannot be read now');
