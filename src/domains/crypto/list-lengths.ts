import { maxRecords } from '../../cache/growth.ts';
import type { Gateway } from '../../graph/context.ts';
import { MAX_ASSETS, pricesEndpoint } from './records.ts';

/** How many assets are requested at once: it costs the same for 500 as for one, but takes longer. */

/** Lengths to which lists are extended if that takes hardly longer: only a few, so that questions share lists. */
const SHORTER_COUNTS = [
  3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 65, 80, 100, 125, 160, 200, 250, 320, 400,
];
const COUNTS = [...SHORTER_COUNTS, MAX_ASSETS];

/** Expected size of an asset before the first answer, in bytes of JSON. */
export const BYTES_PER_ASSET = 280;
/** For `listOfAllComesSoon`, this many times the size of that list must be expected in time (`bytesInTime`). */
const SOON_FACTOR = 4;

/** Returns the length of the longest list that other questions look for and that has at most `count` assets. */
export const sharedCount = (count: number): number | undefined =>
  COUNTS.findLast((one) => one <= count);

/** Returns the length of the shortest list with `needed` assets: MAX_ASSETS at most. */
export const minCount = (needed: number): number => Math.min(needed, MAX_ASSETS);

/** Returns the lengths of all lists with at least `needed` assets, the shortest first. */
export function countsFrom(needed: number): number[] {
  const min = minCount(needed);
  return [...(min > 0 ? [min] : []), ...COUNTS.filter((count) => count > min)];
}

/**
 * Returns the length up to which a list that is being requested is awaited by those who want `needed` assets: twice what
 * they would request now, since that list is on its way already.
 */
export const maxAwaitedCount = (gateway: Gateway, needed: number): number =>
  2 * grownCount(gateway, needed);

/** Returns the lengths of lists of at most `max` assets that other questions look for, the shortest first. */
export const countsUpTo = (max: number): number[] => COUNTS.filter((count) => count <= max);

/** Whether a list of all 500 is expected within a fraction of the timeout. */
export function listOfAllComesSoon({ client }: Gateway): boolean {
  const line = client.line(pricesEndpoint);
  const bytes = MAX_ASSETS * (line.bytesPerRecord() ?? BYTES_PER_ASSET);
  return bytes * SOON_FACTOR <= line.bytesInTime();
}

/** Returns the length of the longest list that is expected to arrive hardly later than `needed` assets would. */
export function grownCount({ client }: Gateway, needed: number): number {
  const min = minCount(needed);
  const max = maxRecords(client.line(pricesEndpoint), min, BYTES_PER_ASSET);
  return COUNTS.findLast((count) => count > min && count <= max) ?? min;
}
