import { createBoundedMap } from '../bounded-map.ts';

/** Maximum number of keys whose waits are remembered: about 100 bytes each. */
const MAX_KEYS = 10_000;
/** About how many waits a mean covers: so few that it follows a key whose popularity changes. */
const MAX_WAITS_IN_MEAN = 8;

/** For questions that come independently: the squared mean of the square roots of waits, as a part of their mean. */
const POISSON = Math.PI / 4;

/**
 * Tracks how long expired keys wait for their next question, on average: a single wait is anything from nothing to
 * several times the mean, and what another stretch would have cost is not linear in it. The mean is taken of square
 * roots, in which the long waits of a night weigh less.
 */
export function createWaits() {
  const roots = createBoundedMap<string, { mean: number; count: number }>(MAX_KEYS);
  return {
    /** Notes a wait; returns the mean, this one included. */
    note(key: string, waitMs: number): number {
      const known = roots.get(key) ?? { mean: 0, count: 0 };
      known.count = Math.min(MAX_WAITS_IN_MEAN, known.count + 1);
      known.mean += (Math.sqrt(Math.max(0, waitMs)) - known.mean) / known.count;
      roots.set(key, known);
      return known.mean ** 2 / POISSON;
    },
  };
}
