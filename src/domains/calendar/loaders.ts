import { createContextCache } from '@pothos/core';
import type { Days } from '../../cache/days.ts';
import { type Context, type Gateway, today, todayFor } from '../../graph/context.ts';
import { dayRangeLoader, expiryOf, openDayRange } from '../../graph/dataset.ts';
import type { Maybe } from '../../graph/maybe.ts';
import { formatDay, type Span } from '../../time.ts';
import { shaped } from '../../upstream/endpoint.ts';
import { type CalendarEventShape, calendarEvent, eventsEndpoint } from './records.ts';

/** All events under one key: countries, importance and currency are picked out here. */
type Key = 'all';

/** How far a request grows on its own: the month behind and the two ahead. */
const WISH_DAYS = { back: 31, ahead: 62 };

/** Releases of all countries together. */
const BYTES_PER_DAY = 4096;

/** A released event without a value is asked for again after half the time that has passed. */
const FIRST_PAUSE_MS = 1000;
const GIVE_UP_AFTER_MS = 86_400_000;

/** When an event's value is expected to be there; Infinity where there is nothing to wait for. */
export function awaitedAt(
  { released, releasesAt }: CalendarEventShape,
  retrievedAt: number,
): number {
  if (released) return Infinity;
  const late = retrievedAt - releasesAt;
  if (late < 0) return releasesAt;
  return late > GIVE_UP_AFTER_MS ? Infinity : retrievedAt + Math.max(FIRST_PAUSE_MS, late / 2);
}

const calendar = createContextCache((gateway: Gateway) => {
  const { client, settings } = gateway;
  const expiry = expiryOf(gateway, settings.ttl.calendar);
  return openDayRange<Key, CalendarEventShape>(gateway, 'calendar', {
    bytesPerDay: BYTES_PER_DAY,
    keyOf: (key) => key,
    dayOf: ({ day }) => day,
    expiresAt: expiry,
    awaitedAt,
    zoneDays: 1,
    wish: (_key, asked) => ({
      start: Math.min(today(gateway) - WISH_DAYS.back, asked.start),
      end: Math.max(today(gateway) + WISH_DAYS.ahead, asked.end),
    }),
    async ask(_key, span, operation) {
      const target = () => {
        const { start, end } = span();
        const query = { start: formatDay(start), end: formatDay(end) };
        return { path: ['calendar', 'events'], query };
      };
      const answer = await client.fetch(eventsEndpoint, target, operation);
      const timezone = zoneOf(answer.origin.timezone, settings.timezone);
      return shaped(answer, (event) => calendarEvent(event, timezone));
    },
  });
});

/** The stated zone, where this machine knows it. */
function zoneOf(stated: string | null, fallback: string): string {
  if (stated === null || stated === fallback) return fallback;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: stated }).resolvedOptions().timeZone;
  } catch {
    return fallback;
  }
}

const eventsLoader = createContextCache((context: Context) =>
  dayRangeLoader(calendar(context.gateway), (key) => key, context),
);

/** Today and the seven days after it by default (spec 4.2). */
export function calendarDefaults(context: Context): Span {
  const start = todayFor(context);
  return { start, end: start + 7 };
}

/** One credit at most for all ranges and filters of an operation. */
export function loadEvents(span: Span, context: Context): Maybe<Days<CalendarEventShape>> {
  return eventsLoader(context)({ key: 'all', span });
}
