import { z } from 'zod';
import { nodeId } from '../../graph/node.ts';
import { type Day, dayAt, formatDay, parseInstant } from '../../time.ts';
import type { Endpoint } from '../../upstream/endpoint.ts';

/** Scheduled releases of macro data (spec sections 2.6 and 4.2, Group B). */

const IMPORTANCE = { low: 'LOW', medium: 'MEDIUM', high: 'HIGH' } as const;
const IMPACT = { positive: 'POSITIVE', negative: 'NEGATIVE', neutral: 'NEUTRAL' } as const;

const text = z.string().nullish().default(null);
const number = z.number().nullish().default(null);

/** A word of the upstream as the graph's name for it; null where the spec has no such word. */
function oneOf<Name extends string>(names: Readonly<Record<string, Name>>) {
  return z
    .string()
    .nullish()
    .transform((word): Name | null => (word && Object.hasOwn(names, word) ? names[word]! : null));
}

/** Section 2.6, before its day is known. */
const record = z.object({
  id: z.string().min(1),
  datetime: z
    .string()
    .refine((value) => parseInstant(value, 'UTC') !== undefined, 'not a date-time'),
  country: z.string(),
  currency: text,
  event: z.string(),
  indicator: text,
  importance: oneOf(IMPORTANCE),
  period: text,
  actual: number,
  forecast: number,
  previous: number,
  unit: text,
  surprise: number,
  impact: oneOf(IMPACT),
});

type CalendarRecord = z.infer<typeof record>;

export interface CalendarEventShape extends CalendarRecord {
  recordId: string;
  day: Day;
  /** Milliseconds since 1970. */
  releasesAt: number;
  released: boolean;
}

/** A record as the graph has it. The calendar's zone is stated beside the records. */
export function calendarEvent(event: CalendarRecord, timezone: string): CalendarEventShape {
  const datetime = parseInstant(event.datetime, timezone) ?? event.datetime;
  const releasesAt = Date.parse(datetime);
  const day = dayAt(releasesAt, timezone);
  return {
    ...event,
    id: nodeId('CalendarEvent', formatDay(day), event.id),
    recordId: event.id,
    datetime,
    day,
    releasesAt,
    released: event.actual !== null,
  };
}

/** GET /calendar/events: one credit whatever the range. */
export const eventsEndpoint: Endpoint<CalendarRecord> = {
  name: 'calendar',
  source: 'calendar',
  group: 'B',
  meter: 'credits',
  record: z.compile(record),
  label: 'id',
  emptyOn404: true,
};
