import type { Day, Span } from '../time.ts';
import type { AskedSpan } from '../shared/shared.ts';
import type { Answer } from '../upstream/endpoint.ts';
import type { Warning } from '../usage/operation.ts';
import type { Moment } from './requests.ts';
import type { Entry, Order, Segment, Segments } from './segments.ts';

/** How answers are filed by day: how they are cut into segments. */

/** What a dataset knows about the days of its records. Durations count from `now`, which is wall time. */
export interface FilingRules<R> {
  dayOf(record: R): Day;
  /** How long a day is fresh, in milliseconds. */
  freshFor(day: Day, now: number): number;
  /**
   * In how many milliseconds a day begins; 0 if it has begun. Set if a day has no records before it begins: what an
   * answer says of a future day then expires.
   */
  beginsIn?(day: Day, now: number): number;
  /** Whether values are published weeks or months after their day. */
  comesLate?: boolean;
  /** In how many milliseconds a record is likely to change, if that is known: its day expires then. */
  changesIn?(record: R, now: number): number;
  /** Set if the upstream may have a record under another day than `dayOf` returns, e.g. that of another time zone. */
  otherZone?: {
    /** By how many days the two may differ. */
    days: number;
    /** Identifies a record: answers about neighboring days may both contain it. */
    keyOf(record: R): string;
  };
}

type Filling<R> = Segment<R> & { entries: Entry<R>[] };

/**
 * Files an answer about `span` by day. An answer that was cut short covers only the days that are sure to be
 * complete. Records of days that were not asked for are left out: others of the same days may be missing. `dataset`:
 * the dataset's name in warnings.
 */
export function segmentsOf<R>(
  answer: Answer<R>,
  span: AskedSpan,
  rules: FilingRules<R> & { dataset: string },
  { now, aging }: Moment,
): Segments<R> {
  const entries = entriesOf(answer.records, span, rules);
  const { origin, records, bytes } = answer;
  const bytesPerRecord = bytes / Math.max(1, records.length);
  const order = orderOf(entries);
  const { start, end } = answer.cutShort ? completeDays(span, entries, order) : span;
  const warnings = warningsOf(answer, entries, rules.dataset);
  // All of its records were left out, with a warning: the next answer may be better.
  const isUseless = entries.length === 0 && warnings.length > 0;
  const isProvisional = answer.isProvisional || span.isProvisional || isUseless;
  const durations = freshness({ start, end }, { entries, isProvisional }, now, rules);
  const common = { at: aging, origin, warnings, order, bytesPerRecord, isProvisional };
  const { segments, ofDay } = emptySegments<R>(start, durations, common);
  for (const entry of entries) ofDay[entry.day - start]?.entries.push(entry);
  return segments;
}

/**
 * The warnings of an answer, and one more if none of its records falls on a requested day: the range
 * may have been lost on the way.
 */
function warningsOf<R>(
  { records, warnings }: Answer<R>,
  entries: readonly Entry<R>[],
  dataset: string,
): readonly Warning[] {
  const count = records.length;
  if (count === 0 || entries.length > 0) return warnings;
  const message = `${dataset}: none of the ${count} record(s) falls on a requested day; all were left out`;
  return [...warnings, { message, dataset, count }];
}

/**
 * Makes empty segments, one for each run of days that expire together. `ofDay`: the segment of each day,
 * counted from `start`.
 */
function emptySegments<R>(
  start: Day,
  durations: readonly number[],
  common: Omit<Filling<R>, keyof Span | 'expiresAt' | 'entries'>,
) {
  const segments: Filling<R>[] = [];
  const ofDay = durations.map((duration, i) => {
    const day = start + i;
    const expiresAt = common.at + duration;
    const last = segments.at(-1);
    if (last?.expiresAt === expiresAt) {
      last.end = day;
      return last;
    }
    const segment = { start: day, end: day, expiresAt, ...common, entries: [] };
    segments.push(segment);
    return segment;
  });
  return { segments, ofDay };
}

export function entriesOf<R>(
  records: readonly R[],
  { start, end }: Span,
  { dayOf, otherZone }: FilingRules<R>,
): Entry<R>[] {
  const entries: Entry<R>[] = [];
  const zoneDays = otherZone?.days ?? 0;
  for (let position = 0; position < records.length; position += 1) {
    const record = records[position]!;
    const own = dayOf(record);
    const day = Math.min(end, Math.max(start, own));
    if (Math.abs(day - own) <= zoneDays) entries.push({ day, position, record });
  }
  return entries;
}

/** How long each day is fresh, in milliseconds. */
function freshness<R>(
  { start, end }: Span,
  { entries, isProvisional }: { entries: readonly Entry<R>[]; isProvisional: boolean },
  now: number,
  { freshFor, beginsIn, comesLate, changesIn }: FilingRules<R>,
): number[] {
  const last = comesLate ? lastSettled({ start, end }, entries) : end;
  const durations = Array.from({ length: end - start + 1 }, (_, i) => {
    const day = start + i;
    // A day that may still get its value counts as recent until MAX_DELAY_DAYS have passed.
    const counted = day > last ? day + MAX_DELAY_DAYS : day;
    const fresh = freshFor(isProvisional ? NEVER_SETTLED : counted, now);
    return Math.min(fresh, beginsIn?.(day, now) || Infinity);
  });
  if (!changesIn) return durations;
  for (const { day, record } of entries) {
    const known = durations[day - start];
    if (known !== undefined) durations[day - start] = Math.min(known, changesIn(record, now));
  }
  return durations;
}

/** Stands for a day in the future, which is never settled. */
const NEVER_SETTLED = Infinity;
/**
 * Longest time from a day to the publication of its value, in days: that of a year takes some months to be added up.
 */
const MAX_DELAY_DAYS = 500;
/** Number of days that may always lie between two records: weekends and holidays have none. */
export const MIN_STEP_DAYS = 4;
/** How many of the latest values tell how far apart values are. */
const LATEST_VALUES = 12;

/**
 * The last day that may count as settled if values come late. If more days follow the last value than usually lie
 * between two values, those days may still get theirs at any time.
 */
function lastSettled({ start, end }: Span, entries: readonly Entry<unknown>[]): Day {
  // The latest values come first or last, depending on the order of the answer.
  const ends = [...entries.slice(0, LATEST_VALUES), ...entries.slice(-LATEST_VALUES)];
  const days = new Set(ends.map(({ day }) => day));
  const latest = [...days].toSorted((a, b) => b - a).slice(0, LATEST_VALUES);
  const [last = start - 1, ...earlier] = latest;
  const steps = earlier.map((day, i) => latest[i]! - day);
  return end - last <= Math.max(MIN_STEP_DAYS, ...steps) ? end : last;
}

export function orderOf(entries: readonly Entry<unknown>[]): Order {
  const goes = (order: Order) =>
    entries.every(({ day }, i) => i === 0 || (day - entries[i - 1]!.day) * order >= 0);
  const isOneDay = entries[0]?.day === entries.at(-1)?.day;
  if (isOneDay) return 0;
  if (goes(1)) return 1;
  return goes(-1) ? -1 : 0;
}

/**
 * The days that are complete in an answer that was cut short. It ends within the day of its last record, so that day
 * and those beyond it may lack records.
 */
function completeDays(
  { start, end }: Span,
  entries: readonly Entry<unknown>[],
  order: Order,
): Span {
  const edge = entries.at(-1)?.day;
  if (edge === undefined || order === 0) return { start, end: start - 1 };
  return order === 1 ? { start, end: edge - 1 } : { start: edge + 1, end };
}
