import { z } from 'zod';
import { nodeId } from '../../graph/ids.ts';
import { numberOrNull, optional, recordId, textOfNumber, textOrNull } from '../../json.ts';
import { type Day, dayAt, formatDay, parseDay, parseInstant } from '../../time.ts';
import type { Endpoint } from '../../upstream/endpoint.ts';

/** Scheduled releases of macro data (spec sections 2.6 and 4.2, Group B). */

/** The graph's names for the upstream's words. */
const IMPORTANCE = { low: 'LOW', medium: 'MEDIUM', high: 'HIGH' } as const;
const IMPACT = { positive: 'POSITIVE', negative: 'NEGATIVE', neutral: 'NEUTRAL' } as const;

/** CalendarEvent of section 2.6. */
const calendarRecord = z.object({
  id: recordId,
  datetime: z
    .string()
    .refine((value) => parseInstant(value, 'UTC') !== undefined, 'not a date-time'),
  country: z.string(),
  currency: optional,
  event: z.string(),
  indicator: optional,
  importance: optional,
  period: optional,
  actual: optional,
  forecast: optional,
  previous: optional,
  unit: optional,
  surprise: optional,
  impact: optional,
});

type CalendarRecord = z.infer<typeof calendarRecord>;

export type CalendarEventShape = ReturnType<typeof eventOf>;

/** Converts a record to the shape that the graph serves. `timezone`: for its day, and for a time without an offset. */
export function eventOf(event: CalendarRecord, timezone: string) {
  const datetime = parseInstant(event.datetime, timezone) ?? event.datetime;
  const releasesAt = Date.parse(datetime);
  const day: Day = dayAt(releasesAt, timezone);
  const actual = numberOrNull(event.actual);
  return {
    id: nodeId('CalendarEvent', formatDay(day), String(event.id)),
    recordId: String(event.id),
    datetime,
    day,
    /** Milliseconds since 1970. */
    releasesAt,
    released: actual !== null,
    country: event.country.trim().toUpperCase(),
    // A blank one is no currency, and no value of the graph's scalar.
    currency: textOrNull(event.currency)?.trim().toUpperCase() || null,
    event: event.event,
    indicator: textOrNull(event.indicator),
    importance: enumValueOf(IMPORTANCE, event.importance),
    period: textOfNumber(event.period),
    actual,
    forecast: numberOrNull(event.forecast),
    previous: numberOrNull(event.previous),
    unit: textOrNull(event.unit),
    surprise: numberOrNull(event.surprise),
    impact: enumValueOf(IMPACT, event.impact),
  };
}

/** Returns the day of an event, read from its global id; undefined if the id holds no day. */
export const dayOfId = (id: string): Day | undefined => parseDay(id.split(':')[1] ?? '');

/** Returns the graph's name for a word of the upstream in any letter case; null for one that the spec does not list. */
function enumValueOf<Name extends string>(
  names: Readonly<Record<string, Name>>,
  word: unknown,
): Name | null {
  const key = typeof word === 'string' ? word.toLowerCase() : '';
  return Object.hasOwn(names, key) ? (names[key] ?? null) : null;
}

/** GET /calendar/events: one credit whatever the range. */
export const eventsEndpoint: Endpoint<CalendarRecord> = {
  name: 'calendar',
  route: '/calendar/events',
  source: 'calendar',
  group: 'B',
  meter: 'credits',
  record: z.compile(calendarRecord),
  label: 'id',
  emptyOn404: true,
};
