import type { Meter } from '../meters.ts';
import { type Day, parseDay, type Span } from '../time.ts';
import { expectFollowUp } from '../usage/estimate.ts';
import type { Operation } from '../usage/operation.ts';
import { isRefused, NotFoundInMore } from './cached.ts';
import type { DayRange } from './day-range-options.ts';
import type { Frequencies, Frequency } from './frequency.ts';
import { type Days, daysOfLast } from './segments.ts';
import { type MaxReach, reachFor } from './reach.ts';
import { createSlices, MIN_SLICE_DAYS } from './slices.ts';
import { MAX_DAYS } from './plan.ts';
import { lengthOf } from '../spans.ts';
import type { QuestionDays } from './wanted-days.ts';

/**
 * The last `count` values up to day `end`, however far back they lie. How far that is has to be guessed: a request
 * costs the same however far it reaches, so it reaches far enough, and a second one, as far back as a range may reach,
 * is sent only if the first brought too few values.
 */
interface LastValues {
  count: number;
  end: Day;
}

/** A range of days, or the last values up to a day. */
export type DaysOrLast = Span | LastValues;

/** Answers questions as a day range does. */
type Answers<K, R> = Pick<DayRange<K, R>, 'keyOf'> & {
  read(key: K, part: DaysOrLast, operation: Operation): Days<R> | undefined;
  load(key: K, parts: readonly DaysOrLast[], operation: Operation): Promise<(Days<R> | Error)[]>;
};

interface LastValuesOptions {
  /** Names the dataset in estimates. */
  name: string;
  meter: Meter;
  frequencies: Frequencies;
  /** The frequency presumed of a series about which nothing is known; undefined if it may be any. */
  usualFrequency: Frequency | undefined;
  maxReach: MaxReach;
  today(): Day;
}

/**
 * How many days after today are searched in slices, if they are asked for: a value may be published for the next business
 * day, or for the month that has begun. The shortest slice, so that they cost one unit more at most.
 */
const MAX_DAYS_AHEAD = MIN_SLICE_DAYS;
/** How many days are asked for after a 404 for more: a range that upstreams accept, and long enough for most series. */
const PROBE_DAYS = 365;
/** The earliest day that a date can name. */
const FIRST_DAY = parseDay('0000-01-01') ?? 0;

/** The days that are asked for in place of the last values. */
interface Reach extends QuestionDays {
  /** Whether they are known to hold enough values, or all there are. */
  isSure?: boolean;
}

/**
 * The earliest day on which values up to `end` are looked for: the same for all ends within the last hundred years, so
 * that what was found for one end answers the others, too.
 */
function earliestFor(end: Day, today: Day): Day {
  const first = (last: Day) => Math.max(FIRST_DAY, last - MAX_DAYS + 1);
  return end <= today && end >= first(today) ? first(today) : first(end);
}

/** The fewest days that may hold the values: at most one is published each business day. */
function leastDaysOf({ count, end }: LastValues): Span {
  return { start: end + 1 - Math.ceil((count * 7) / 5), end };
}

export function createLastValues<K, R>(
  days: DayRange<K, R>,
  { name, meter, frequencies, usualFrequency, maxReach, today }: LastValuesOptions,
): Answers<K, R> {
  const { keyOf } = days;
  const frequencyOf = (id: string) => frequencies.of(id) ?? usualFrequency;
  const slices = createSlices(days, { name, frequencyOf });

  const earliest = (end: Day): Day => earliestFor(end, today());

  /** Slices end soon after today at the latest: later days have no values, and there may be many. */
  const inSlicesUpTo = ({ count, end }: LastValues): LastValues => ({
    count,
    end: Math.max(earliest(end), Math.min(end, today() + MAX_DAYS_AHEAD)),
  });

  function reachOf(key: K, part: LastValues, operation: Operation): Reach {
    const { count, end } = part;
    const { all } = days.coverageOf(key, operation);
    const known = daysOfLast(all, part, earliest(end), true);
    const guess = Math.min(end, today()) + 1 - reachFor(count, frequencyOf(keyOf(key)), maxReach);
    const start = known?.start ?? Math.max(earliest(end), guess);
    const isSure = known !== undefined || start === earliest(end);
    // If some values are known, a 404 for earlier days is likely to mean that there are none.
    const hasNone = all.every(({ entries }) => entries.length === 0);
    const isTentative = hasNone && end - start >= PROBE_DAYS;
    return { start, end, isForLastValues: true, isSure, isTentative };
  }

  const loadDays = async (key: K, span: QuestionDays, operation: Operation) =>
    (await days.load(key, [span], operation))[0]!;

  /** For a dry run: notes what may have to be asked for once the request for `reach` is answered. */
  function foresee(key: K, reach: Reach, operation: Operation): void {
    if (!reach.isSure) expectFollowUp(operation, { name, meter }, `${name} ${keyOf(key)}`, 'last');
    const longest = reach.isSure ? lengthOf(reach) : MAX_DAYS;
    // So many days may be refused, as they were before: how many slices are needed is known only once they come.
    if (longest > days.allowedDays(key)) operation.estimate?.unbounded.add(meter);
  }

  /** Returns what a request brought, or asks for more if that was too little. */
  async function foundOrMore(
    key: K,
    part: LastValues,
    reach: Reach,
    found: Days<R> | Error,
    operation: Operation,
  ): Promise<Days<R> | Error> {
    const { count, end } = part;
    if (found instanceof NotFoundInMore) return afterNotFound(key, part, operation);
    if (found instanceof Error) {
      if (isRefused(found) && lengthOf(reach) > MIN_SLICE_DAYS)
        return inSlices(key, part, operation, lengthOf(reach));
      foresee(key, reach, operation);
      return isRefused(found) ? oldOrRefusal(found, key, part, operation) : found;
    }
    const first = earliest(end);
    if (found.value.length >= count || reach.start <= first) return found;
    const all = await loadDays(key, { start: first, end, isForLastValues: true }, operation);
    return foundOrMore(key, part, { start: first, end, isSure: true }, all, operation);
  }

  /**
   * After a 404 for a long range: asks for fewer days. If these have values, so long a range is not accepted; if not, a
   * 404 for all days is believed.
   */
  async function afterNotFound(key: K, part: LastValues, operation: Operation) {
    const { end } = inSlicesUpTo(part);
    const probe = { start: end - PROBE_DAYS + 1, end, isForLastValues: true, isNarrow: true };
    const latest = await loadDays(key, probe, operation);
    const hasValues = !(latest instanceof Error) && latest.value.length > 0;
    if (hasValues || isRefused(latest)) return inSlices(key, part, operation, PROBE_DAYS + 1);
    if (latest instanceof Error) return latest;
    const all = { start: earliest(part.end), end: part.end, isForLastValues: true, isSure: true };
    const found = await loadDays(key, all, operation);
    return foundOrMore(key, part, all, found, operation);
  }

  /** Loads the last values in slices, if the upstream accepts no range of so many days. */
  async function inSlices(key: K, part: LastValues, operation: Operation, refused = MAX_DAYS) {
    const wanted = { ...inSlicesUpTo(part), first: earliest(part.end) };
    const found = await slices.load(key, wanted, refused, operation);
    if (!(found instanceof Error)) return found;
    // How many slices are needed is known only once they come.
    operation.estimate?.unbounded.add(meter);
    return isRefused(found) ? oldOrRefusal(found, key, part, operation) : found;
  }

  /** If the upstream refuses even a short range: returns what is cached, however old, or else the refusal. */
  async function oldOrRefusal(refusal: Error, key: K, part: LastValues, operation: Operation) {
    const { all } = days.coverageOf(key, operation);
    const old = daysOfLast(all, inSlicesUpTo(part), earliest(part.end));
    return old ? loadDays(key, old, operation) : refusal;
  }

  return {
    keyOf,
    read(key, part, operation) {
      if ('start' in part) return days.read(key, part, operation);
      const { fresh } = days.coverageOf(key, operation);
      const wanted = slices.areNeeded(key) ? inSlicesUpTo(part) : part;
      const span = daysOfLast(fresh, wanted, earliest(part.end));
      return span && days.read(key, { ...span, isForLastValues: true }, operation);
    },
    async load(key, parts, operation) {
      const caught = days.catchUp(key);
      if (caught instanceof Promise) await caught;
      if (slices.areNeeded(key)) {
        const one = (part: DaysOrLast) =>
          'start' in part ? loadDays(key, part, operation) : inSlices(key, part, operation);
        return Promise.all(parts.map(one));
      }
      // A request that is on its way may bring the values: what is left to ask for shows only then.
      for (const part of parts)
        if (!('start' in part)) await days.whenBrought(key, leastDaysOf(part), operation);
      const spans = parts.map((part) => ('start' in part ? part : reachOf(key, part, operation)));
      const loaded = await days.load(key, spans, operation);
      return Promise.all(
        parts.map((part, i) =>
          'start' in part ? loaded[i]! : foundOrMore(key, part, spans[i]!, loaded[i]!, operation),
        ),
      );
    },
  };
}
