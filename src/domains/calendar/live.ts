import { contains } from '../../spans.ts';
import { checkNotOver, isWithin, parseArguments } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { type Context, today } from '../../graph/context.ts';
import { sharedPollers } from '../../graph/live.ts';
import { createNewRecords, firstNewDay } from '../../graph/new-records.ts';
import { streamOfNew } from '../../graph/streams.ts';
import { type Day, type Span, startOf } from '../../time.ts';
import {
  answers,
  catchUpEvents,
  isProvisional,
  knownEvents,
  loadEvents,
  nextReleaseOf,
} from './loaders.ts';
import { type CalendarEventShape, eventsEndpoint } from './records.ts';
import { CalendarEventFilter, eventArguments, type Filter, matches } from './schema.ts';
import { CalendarEvent } from './types.ts';

/** The subscription field of the calendar domain: one poller for each filter. They share what is cached. */

/** The days that are polled from some day on. */
const daysFrom = (day: Day): Span => ({ start: day, end: day + 7 });
/** A poll comes this much after a release is due, so that the cache takes it as due, too. */
const MARGIN_MS = 10;

/** When a release that is wanted is due next, or midnight (on the monotonic clock). */
function nextDueAt(isWanted: (event: CalendarEventShape) => boolean, context: Context): number {
  const { gateway } = context;
  const day = today(gateway);
  const untilTomorrow = startOf(day + 1, gateway.settings.timezone) - gateway.now();
  const span = { ...daysFrom(day), start: firstNewDay(day) };
  const nextRelease = nextReleaseOf(span, isWanted, context);
  return Math.min(gateway.monotonic() + untilTomorrow, nextRelease) + MARGIN_MS;
}

/** Polls when the next release that a filter lets through is due, then in growing pauses until its value is there. */
const pollerOf = sharedPollers<Filter, readonly CalendarEventShape[], Span>({
  endpoint: eventsEndpoint,
  // The order of a list is no matter.
  keyOf: (filter) =>
    JSON.stringify(filter, (_name, value: unknown) =>
      Array.isArray(value) ? [...new Set<string>(value)].toSorted() : value,
    ),
  isTimed: true,
  pollOf: (filter) => {
    const newRecords = createNewRecords<CalendarEventShape>();
    const isWanted = (event: CalendarEventShape) =>
      matches({ ...event, released: true }, filter) && isWithin(event.day, filter);
    /** The first poll finds out what was released before, and what is due next: cached events are enough for that. */
    let isFirst = true;
    /** Since when an answer was missing, or might be another one the next time. */
    let unsureSince: number | undefined;
    return async (context) => {
      const { gateway, operation } = context;
      const began = gateway.monotonic();
      const day = today(gateway);
      if (isFirst) await catchUpEvents(gateway);
      const added = await newRecords.poll(day, async (start) => {
        const span = { ...daysFrom(day), start };
        const known = isFirst ? knownEvents(span, isWanted, context) : undefined;
        const events = known ?? (await loadEvents(span, context)).value;
        const records = events.filter((event) => event.released && isWanted(event));
        return { records, isStale: operation.stale > 0 };
      });
      isFirst = false;
      const isUnsure = operation.stale > 0 || isProvisional(daysFrom(day), context);
      unsureSince = isUnsure ? (unsureSince ?? began) : undefined;
      const nextAt = nextDueAt(isWanted, context);
      if (unsureSince === undefined) return { value: added, nextAt };
      // What is due next may be missing. The longer that lasts the longer are the pauses.
      const again = Math.max(operation.freshUntil, began + (began - unsureSince));
      return { value: added, nextAt: Math.min(nextAt, again) };
    };
  },
  // It may have events that were added, or moved forward.
  news: { answers, isAbout: (asked, _key, gateway) => contains(asked, daysFrom(today(gateway))) },
});

builder.subscriptionField('calendarEventReleased', (t) =>
  t.field({
    type: CalendarEvent,
    description:
      'Each event as soon as its actual value is released. The upstream is polled when an event that matches the filter is due, and at midnight. A poll costs what the query costs, at most once per time to live, for all subscribers together.',
    args: { filter: t.arg({ type: CalendarEventFilter, description: 'By default all events.' }) },
    subscribe(_root, args, context) {
      const { gateway } = context;
      const filter = parseArguments(eventArguments, args).filter ?? {};
      checkNotOver(firstNewDay(today(gateway)), filter);
      return streamOfNew({ context, poller: pollerOf(gateway, filter) });
    },
    resolve: (event) => event,
  }),
);
