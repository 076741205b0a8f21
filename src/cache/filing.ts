import type { Day, Span } from '../time.ts';
import type { Answer, Origin } from '../upstream/endpoint.ts';
import type { Entry, Order, Segment, Segments } from './segments.ts';

/** What a dataset knows of its records' days. */
export interface DayRules<R> {
  dayOf(record: R): Day;
  /** When a day that was asked at `retrievedAt` has to be asked again. */
  expiresAt(day: Day, retrievedAt: number): number;
  /** When a record is likely to change before that; without it none is. */
  awaitedAt?(record: R, retrievedAt: number): number;
  /** How many days the upstream's day of a record may be from `dayOf`, as in another zone; 0 by default. */
  zoneDays?: number;
}

type Filling<R> = Segment<R> & { entries: Entry<R>[] };

/**
 * Files an answer about `span` by day. Neighbouring days that expire together share a segment; an
 * answer cut short covers only the days that it is sure to hold all of. Records of days that were not
 * asked for say nothing about these days.
 */
export function segmentsOf<R>(answer: Answer<R>, span: Span, rules: DayRules<R>): Segments<R> {
  const entries = entriesOf(answer.records, span, rules);
  const { origin, warnings, records, bytes } = answer;
  const bytesPerRecord = bytes / Math.max(1, records.length);
  const order = orderOf(entries);
  const common = { origin, warnings, order, bytesPerRecord };
  const { start, end } = answer.cutShort ? sureDays(span, entries, order) : span;
  /** By day since `start`. */
  const segmentOf: Filling<R>[] = [];
  for (const [i, expiresAt] of expiries({ start, end }, entries, origin, rules).entries()) {
    const day = start + i;
    let segment = segmentOf.at(-1);
    if (segment?.expiresAt === expiresAt) segment.end = day;
    else segment = { start: day, end: day, expiresAt, ...common, entries: [] };
    segmentOf.push(segment);
  }
  for (const entry of entries) segmentOf[entry.day - start]?.entries.push(entry);
  return [...new Set(segmentOf)];
}

function entriesOf<R>(
  records: readonly R[],
  { start, end }: Span,
  { dayOf, zoneDays = 0 }: DayRules<R>,
): Entry<R>[] {
  const entries: Entry<R>[] = [];
  for (const [position, record] of records.entries()) {
    const own = dayOf(record);
    const day = Math.min(end, Math.max(start, own));
    if (Math.abs(day - own) <= zoneDays) entries.push({ day, position, record });
  }
  return entries;
}

/** When each day has to be asked again. */
function expiries<R>(
  { start, end }: Span,
  entries: readonly Entry<R>[],
  { retrievedAt }: Origin,
  { expiresAt, awaitedAt }: DayRules<R>,
): number[] {
  const days = Array.from({ length: end - start + 1 }, (_, i) => expiresAt(start + i, retrievedAt));
  if (!awaitedAt) return days;
  for (const { day, record } of entries) {
    const known = days[day - start];
    if (known !== undefined) days[day - start] = Math.min(known, awaitedAt(record, retrievedAt));
  }
  return days;
}

function orderOf(entries: readonly Entry<unknown>[]): Order {
  const goes = (order: Order) =>
    entries.every(({ day }, i) => i === 0 || (day - entries[i - 1]!.day) * order >= 0);
  const isOneDay = entries[0]?.day === entries.at(-1)?.day;
  if (isOneDay) return 0;
  if (goes(1)) return 1;
  return goes(-1) ? -1 : 0;
}

/** What was cut off lies behind the last record: that record's own day may be incomplete, too. */
function sureDays({ start, end }: Span, entries: readonly Entry<unknown>[], order: Order): Span {
  const edge = entries.at(-1)?.day;
  if (edge === undefined || order === 0) return { start, end: start - 1 };
  return order === 1 ? { start, end: edge - 1 } : { start: edge + 1, end };
}
