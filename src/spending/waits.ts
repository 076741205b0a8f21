import { createBoundedMap } from '../bounded-map.ts';

/** Keys whose waits are remembered: about 100 bytes each. */
const MAX_KEYS = 10_000;
/** A mean over about so many waits follows a key whose popularity changes. */
const WAITS = 8;

/** Of waits for questions that come independently, the mean root squared is this part of the mean. */
const POISSON = Math.PI / 4;

/**
 * How long keys wait for their next question once they have expired, on average: a single wait is anything
 * from nothing to several means, and what another stretch would have cost is not linear in it. The mean is one
 * of roots, in which the long waits of a night weigh less.
 */
export function createWaits() {
  const roots = createBoundedMap<string, { mean: number; count: number }>(MAX_KEYS);
  return {
    /** Notes a wait; returns the mean, this one included. */
    note(key: string, waitMs: number): number {
      const known = roots.get(key) ?? { mean: 0, count: 0 };
      known.count = Math.min(WAITS, known.count + 1);
      known.mean += (Math.sqrt(Math.max(0, waitMs)) - known.mean) / known.count;
      roots.set(key, known);
      return known.mean ** 2 / POISSON;
    },
  };
}
