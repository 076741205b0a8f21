import { createBoundedMap } from '../bounded-map.ts';
import type { Segments } from './segments.ts';

/** How often a series has a value, judged by its values. */

export type Frequency = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'QUARTERLY' | 'YEARLY' | 'IRREGULAR';
type RegularFrequency = Exclude<Frequency, 'IRREGULAR'>;

/** Numbers of days between two values. */
interface Step {
  /** The limits of a single step. They allow for weekends and a holiday, and for values dated by the last working day. */
  min: number;
  max: number;
  /** A little above the usual mean; series with many gaps may have a higher one. */
  mean: number;
}

export const STEPS: Readonly<Record<RegularFrequency, Step>> = {
  DAILY: { min: 1, max: 4, mean: 1.6 },
  WEEKLY: { min: 5, max: 10, mean: 8 },
  MONTHLY: { min: 25, max: 36, mean: 31 },
  QUARTERLY: { min: 80, max: 100, mean: 92 },
  YEARLY: { min: 350, max: 380, mean: 366 },
};

const REGULAR = Object.keys(STEPS) as RegularFrequency[];

/**
 * Maximum number of days between two values of a series; that of the longest frequency if
 * its own is unknown or irregular.
 */
export function longestStep(frequency: Frequency | undefined): number {
  const isRegular = frequency !== undefined && frequency !== 'IRREGULAR';
  return STEPS[isRegular ? frequency : 'YEARLY'].max;
}

/** Minimum number of steps between values from which a frequency is derived. */
const MIN_STEPS = 2;
/** Minimum number of steps from which a series may be called irregular. */
const MIN_STEPS_IRREGULAR = 8;
/** Maximum number of steps that count, the latest: a series may have changed. */
const MAX_STEPS = 60;
/** The share of steps that must fit a frequency; not all do, since values may be missing. */
const MIN_SHARE = 0.75;

/** Returns undefined if there are too few values to tell. */
function frequencyOf(all: Segments<unknown>): Frequency | undefined {
  const steps = stepsOf(all);
  if (steps.length < MIN_STEPS) return undefined;
  for (const name of REGULAR) {
    const { min, max } = STEPS[name];
    const fitting = steps.filter((days) => days >= min && days <= max);
    if (fitting.length >= steps.length * MIN_SHARE) return name;
  }
  return steps.length < MIN_STEPS_IRREGULAR ? undefined : 'IRREGULAR';
}

/**
 * The number of days between neighboring values, the latest first. Days that are not covered may hide
 * values, so no step spans them.
 */
function stepsOf(all: Segments<unknown>): number[] {
  const steps: number[] = [];
  let later: number | undefined;
  let start = Infinity;
  for (const segment of all.toReversed()) {
    if (segment.end !== start - 1) later = undefined;
    ({ start } = segment);
    const days = segment.entries.map(({ day }) => day).toSorted((a, b) => b - a);
    for (const day of days) {
      if (later !== undefined && day < later) steps.push(later - day);
      if (steps.length >= MAX_STEPS) return steps;
      later = day;
    }
  }
  return steps;
}

/** The known frequencies of a dataset's series, by key. */
export interface Frequencies {
  note(id: string, all: Segments<unknown>): void;
  of(id: string): Frequency | undefined;
  /** Changes whenever the frequency of a series becomes known or turns out to be a different one. */
  version(): number;
}

const MAX_SERIES = 10_000;

/** Remembers frequencies for longer than the cache keeps the values. */
export function createFrequencies(): Frequencies {
  const known = createBoundedMap<string, Frequency>(MAX_SERIES);
  let version = 0;
  return {
    note(id, all) {
      const frequency = frequencyOf(all);
      if (frequency && known.get(id) !== frequency) version += 1;
      if (frequency) known.set(id, frequency);
    },
    of: (id) => known.get(id),
    version: () => version,
  };
}
