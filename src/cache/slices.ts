import { createBoundedMap } from '../bounded-map.ts';
import type { Day } from '../time.ts';
import { MarketError } from '../upstream/errors.ts';
import { noteFreshUntil, type Operation } from '../usage/operation.ts';
import { allowsStale, isOverBudget, isRefused, metadataOf } from './cached.ts';
import type { DayRange } from './day-range-options.ts';
import { type Frequency, longestStep } from './frequency.ts';
import { type Days, daysOfLast } from './segments.ts';

/**
 * The last values of a series for which the upstream accepts no long ranges: loaded in
 * slices of days, from the end back.
 */

interface LastOf {
  count: number;
  /** Values before this day are not searched for. */
  first: Day;
  end: Day;
}

interface Slices<K, R> {
  /** Whether the upstream is known to accept only short ranges of this key. */
  areNeeded(key: K): boolean;
  /** `refused`: the number of days that was refused. An error is a MarketError. */
  load(key: K, last: LastOf, refused: number, operation: Operation): Promise<Days<R> | Error>;
}

interface SliceOptions {
  /** Names the dataset in warnings. */
  name: string;
  /** Undefined while nothing is known of a series. */
  frequencyOf(id: string): Frequency | undefined;
}

interface Slice {
  first: Day;
  end: Day;
  length: number;
}

/**
 * The lengths that are tried, in days: the usual limits of an upstream that limits a request's days, and ten years. A
 * refusal is free while each slice costs a unit, and may be due to the first day, or be a mishap: then long slices bring
 * a series with few values a year for a few units instead of one unit a year.
 */
const USUAL_LIMITS = [3653, 365, 90];
/** Shortest length of a slice, in days: a refusal of a month is presumed to have another reason than its length. */
export const MIN_SLICE_DAYS = 30;
const lengthBelow = (days: number): number =>
  USUAL_LIMITS.find((length) => length < days) ?? MIN_SLICE_DAYS;

/** Minimum number of slices that are asked for while none has had a value: the series may have ended long ago. */
const MIN_EMPTY_SLICES = 10;
/** Maximum number of keys whose slices are remembered. */
const MAX_KEYS = 1000;

/** Joins two parts of a series. The earlier days were asked for last, so their answer is what the cache has now. */
function joined<R>(earlier: Days<R>, later: Days<R>): Days<R> {
  return {
    ...earlier,
    ...metadataOf([earlier, later]),
    value: [...earlier.value, ...later.value],
    stale: earlier.stale || later.stale,
  };
}

/** Failures that stay for a while: what the units that were left have brought is served. */
const ALLOWANCE_USED_UP = ['QUOTA_EXCEEDED', 'INSUFFICIENT_CREDITS', 'CLIENT_BUDGET_EXCEEDED'];

/** Whether the values that have been found are served although earlier ones cannot be loaded. */
function isEnough(found: Days<unknown>, failure: Error): boolean {
  if (isRefused(failure) || isOverBudget(failure)) return true;
  if (!(failure instanceof MarketError)) return false;
  return ALLOWANCE_USED_UP.includes(failure.code) || (found.stale && allowsStale(failure));
}

/** After how many slices in a row without a value earlier ones are assumed to be empty, too. */
function maxEmptySlices(
  days: number,
  frequency: Frequency | undefined,
  hasValues: boolean,
): number {
  const gap = Math.ceil(longestStep(frequency) / days);
  return hasValues ? gap : Math.max(gap, MIN_EMPTY_SLICES);
}

export function createSlices<K, R>(
  days: Pick<DayRange<K, R>, 'keyOf' | 'load' | 'noteRefused' | 'coverageOf'>,
  { name, frequencyOf }: SliceOptions,
): Slices<K, R> {
  /** How many days at a time the upstream accepts, by key. */
  const acceptedDays = createBoundedMap<string, number>(MAX_KEYS);

  /** Returns fewer values than were asked for, although there may be more, with a warning. */
  function warnIncomplete(held: Days<R>, count: number, operation: Operation): Days<R> {
    const message = 'The upstream accepts only short ranges, and no earlier ones were requested';
    operation.warnings.add({ message, dataset: name, count: count - held.value.length });
    // The next operation may request more of them.
    noteFreshUntil(operation, -Infinity);
    return held;
  }

  /**
   * Loads the days up to `end`: `length` of them, or fewer if those are refused. `accepted`: the length of the first
   * slice, undefined for that itself.
   */
  async function sliceOf(
    key: K,
    { first, end, length }: Slice,
    accepted: number | undefined,
    by: Operation,
  ) {
    let tried = length;
    for (;;) {
      const start = Math.max(first, end - tried + 1);
      const isNarrow = accepted !== undefined && tried < accepted;
      const slice = { start, end, isForLastValues: true, isNarrow };
      const found = (await days.load(key, [slice], by))[0]!;
      const isTooLong = isRefused(found) && tried > MIN_SLICE_DAYS;
      if (!isTooLong) return { found, start, length: tried };
      // A later slice may be refused for its first day rather than its length.
      if (accepted === undefined) days.noteRefused(key, tried);
      tried = lengthBelow(tried);
    }
  }

  /**
   * After a failure other than a refusal: returns all of the values if they are cached. New days move the edges of the
   * slices, so that a slice may reach back further than what is cached.
   */
  async function oldInstead(key: K, { first, ...last }: LastOf, failure: Error, by: Operation) {
    if (!allowsStale(failure) || isRefused(failure)) return undefined;
    const span = daysOfLast(days.coverageOf(key, by).all, last, first, true);
    if (!span) return undefined;
    const [old] = await days.load(key, [{ ...span, isForLastValues: true }], by);
    return old instanceof Error ? undefined : old;
  }

  async function load(key: K, { count, first, end }: LastOf, refused: number, by: Operation) {
    const id = days.keyOf(key);
    if (!acceptedDays.has(id)) days.noteRefused(key, refused);
    let next: Slice = { first, end, length: acceptedDays.get(id) ?? lengthBelow(refused) };
    let held: Days<R> | undefined;
    let empty = 0;
    for (;;) {
      const { found, start, length } = await sliceOf(key, next, held && acceptedDays.get(id), by);
      if (found instanceof Error) {
        const old = await oldInstead(key, { count, first, end }, found, by);
        return old ?? (held && isEnough(held, found) ? warnIncomplete(held, count, by) : found);
      }
      if (!held) acceptedDays.set(id, length);
      held = held ? joined(found, held) : found;
      if (held.value.length >= count || start === first) return held;
      empty = found.value.length > 0 ? 0 : empty + 1;
      const maxEmpty = maxEmptySlices(length, frequencyOf(id), held.value.length > 0);
      if (empty >= maxEmpty) return warnIncomplete(held, count, by);
      next = { first, end: start - 1, length };
    }
  }

  return { areNeeded: (key) => acceptedDays.has(days.keyOf(key)), load };
}
