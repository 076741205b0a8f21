import type { Day, Span } from '../time.ts';
import type { Answer } from '../upstream/endpoint.ts';
import type { Entry, Order, Segment, Segments } from './segments.ts';

/** What a dataset knows of its records' days. */
export interface DayRules<R> {
  dayOf(record: R): Day;
  /** When a day that was asked at `retrievedAt` and held these records has to be asked again. */
  expiresAt(day: Day, records: readonly R[], retrievedAt: number): number;
}

/**
 * Files an answer about `span` by day. Neighbouring days that expire together share a segment; an
 * answer cut short covers only the days that it is sure to hold all of.
 */
export function segmentsOf<R>(answer: Answer<R>, span: Span, rules: DayRules<R>): Segments<R> {
  const entries = answer.records.map((record, position) => {
    const day = Math.min(span.end, Math.max(span.start, rules.dayOf(record)));
    return { day, position, record };
  });
  const byDay = Map.groupBy(entries, ({ day }) => day);
  const { origin, warnings } = answer;
  const order = orderOf(entries);
  const covered = answer.cutShort ? sureDays(span, entries, order) : span;
  const segments: (Segment<R> & { entries: Entry<R>[] })[] = [];
  for (let day = covered.start; day <= covered.end; day += 1) {
    const found = byDay.get(day) ?? [];
    const records = found.map(({ record }) => record);
    const expiresAt = rules.expiresAt(day, records, origin.retrievedAt);
    const last = segments.at(-1);
    if (last?.expiresAt === expiresAt) {
      last.end = day;
      last.entries.push(...found);
    } else
      segments.push({ start: day, end: day, expiresAt, origin, warnings, order, entries: found });
  }
  return segments;
}

function orderOf(entries: readonly Entry<unknown>[]): Order {
  const first = entries[0]?.day ?? 0;
  const last = entries.at(-1)?.day ?? 0;
  if (first === last) return 0;
  return first < last ? 1 : -1;
}

/** What was cut off lies behind the last record: that record's own day may be incomplete, too. */
function sureDays({ start, end }: Span, entries: readonly Entry<unknown>[], order: Order): Span {
  const edge = entries.at(-1)?.day;
  if (edge === undefined || order === 0) return { start, end: start - 1 };
  return order === 1 ? { start, end: edge - 1 } : { start: edge + 1, end };
}
