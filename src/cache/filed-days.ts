import type { Day, Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import type { Moment } from './requests.ts';
import type { Entry, Order, Segment, Segments } from './segments.ts';

/** Answers filed by day: how they are cut into segments. */

/** What a dataset knows of its records' days. Durations count from `now`, which is wall time. */
export interface FilingRules<R> {
  dayOf(record: R): Day;
  /** How long a day is fresh, in milliseconds. */
  freshFor(day: Day, now: number): number;
  /** Whether values are published weeks or months after their day. */
  comesLate?: boolean;
  /** In how many milliseconds a record is likely to change, where that is known: its day expires then. */
  changesIn?(record: R, now: number): number;
  /** Where the upstream's day of a record may be another one than `dayOf`, as in another time zone. */
  otherZone?: {
    /** By how many days they may differ. */
    days: number;
    /** What a record is known by: answers about neighbouring days may have the same one. */
    keyOf(record: R): string;
  };
}

type Filling<R> = Segment<R> & { entries: Entry<R>[] };

/**
 * Files an answer about `span` by day. An answer cut short covers only the days
 * that are sure to be complete. Records of days that were not asked for are left out: there may be
 * more of those days.
 */
export function segmentsOf<R>(
  answer: Answer<R>,
  span: Span,
  rules: FilingRules<R>,
  { now, aging }: Moment,
): Segments<R> {
  const entries = entriesOf(answer.records, span, rules);
  const { origin, warnings, records, bytes } = answer;
  const bytesPerRecord = bytes / Math.max(1, records.length);
  const order = orderOf(entries);
  const { start, end } = answer.cutShort ? completeDays(span, entries, order) : span;
  const isWhole = warnings.length === 0;
  const durations = freshness({ start, end }, { entries, isWhole }, now, rules);
  const common = { at: aging, origin, warnings, order, bytesPerRecord };
  const { segments, ofDay } = emptySegments<R>(start, durations, common);
  for (const entry of entries) ofDay[entry.day - start]?.entries.push(entry);
  return segments;
}

/** Neighbouring days that expire together are one segment; `ofDay`: that of each day, counted from `start`. */
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

function entriesOf<R>(
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

/** How long each day is fresh. */
function freshness<R>(
  span: Span,
  { entries, isWhole }: { entries: readonly Entry<R>[]; isWhole: boolean },
  now: number,
  rules: FilingRules<R>,
): number[] {
  const { start, end } = span;
  const { freshFor, changesIn } = rules;
  // What is missing of an answer may be there in the next one.
  const settledTo = isWhole ? lastSettled(span, entries, now, rules) : start - 1;
  const days = Array.from({ length: end - start + 1 }, (_, i) =>
    freshFor(start + i > settledTo ? TO_COME : start + i, now),
  );
  if (!changesIn) return days;
  for (const { day, record } of entries) {
    const known = days[day - start];
    if (known !== undefined) days[day - start] = Math.min(known, changesIn(record, now));
  }
  return days;
}

/** A day that is no settled one, whatever the date is. */
const TO_COME = Infinity;
/** No value is published later than this after its day: a year, and some months to add it up. */
const LATEST_DAYS = 500;

/**
 * The last day that may be settled. Where values come late, those after the last one are not, if the answer reaches to
 * the present: each of them may get its value at any time.
 */
function lastSettled<R>(
  { start, end }: Span,
  entries: readonly Entry<R>[],
  now: number,
  { comesLate, freshFor }: FilingRules<R>,
): Day {
  const isPresent = freshFor(end, now) === freshFor(TO_COME, now);
  if (!comesLate || !isPresent) return end;
  return entries.reduce(
    (last, { day }) => Math.max(last, day),
    Math.max(start - 1, end - LATEST_DAYS),
  );
}

function orderOf(entries: readonly Entry<unknown>[]): Order {
  const goes = (order: Order) =>
    entries.every(({ day }, i) => i === 0 || (day - entries[i - 1]!.day) * order >= 0);
  const isOneDay = entries[0]?.day === entries.at(-1)?.day;
  if (isOneDay) return 0;
  if (goes(1)) return 1;
  return goes(-1) ? -1 : 0;
}

/** The answer ends within the day of its last record, so that day and those after it may lack some. */
function completeDays(
  { start, end }: Span,
  entries: readonly Entry<unknown>[],
  order: Order,
): Span {
  const edge = entries.at(-1)?.day;
  if (edge === undefined || order === 0) return { start, end: start - 1 };
  return order === 1 ? { start, end: edge - 1 } : { start: edge + 1, end };
}
