import { contains } from '../../spans.ts';
import { checkNotOver, isWithin, parseArguments } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { type Gateway, today } from '../../graph/context.ts';
import { sharedPollers } from '../../graph/live.ts';
import { createNewRecords, firstNewDay } from '../../graph/new-records.ts';
import { streamOfNew } from '../../graph/streams.ts';
import { type Day, type Span, startOf } from '../../time.ts';
import { answers, catchUpEvents, isProvisional, loadEvents, nextReleaseOf } from './loaders.ts';
import { type CalendarEventShape, eventsEndpoint } from './records.ts';
import { CalendarEventFilter, eventArguments, matches } from './schema.ts';
import { CalendarEvent } from './types.ts';

/**
 * The subscription field of the calendar domain: all events are polled once for all subscribers, when one is due that
 * somebody waits for.
 */

/** The days that are polled from some day on. */
const daysFrom = (day: Day): Span => ({ start: day, end: day + 7 });
/** A poll comes this much after a release is due, so that the cache takes it as due, too. */
const MARGIN_MS = 10;

function untilTomorrow(gateway: Gateway): number {
  return startOf(today(gateway) + 1, gateway.settings.timezone) - gateway.now();
}

/** Polls at midnight, and when a release is due that a subscriber waits for, then in growing pauses until its value is there. */
const pollerOf = sharedPollers<'all', readonly CalendarEventShape[], Span>({
  endpoint: eventsEndpoint,
  keyOf: (key) => key,
  isTimed: true,
  pollOf: () => {
    const newRecords = createNewRecords<CalendarEventShape>();
    /** Since when an answer was missing, or might be another one the next time. */
    let unsureSince: number | undefined;
    return async (context) => {
      const { gateway, operation } = context;
      const began = gateway.monotonic();
      const day = today(gateway);
      const value = await newRecords.poll(day, async (start) => {
        const { value: events } = await loadEvents({ ...daysFrom(day), start }, context);
        return { records: events.filter(({ released }) => released), isStale: operation.stale > 0 };
      });
      const tomorrow = gateway.monotonic() + untilTomorrow(gateway) + MARGIN_MS;
      const isUnsure = operation.stale > 0 || isProvisional(daysFrom(day), context);
      unsureSince = isUnsure ? (unsureSince ?? began) : undefined;
      if (unsureSince === undefined) return { value, nextAt: tomorrow };
      // What is due next may be missing. The longer that lasts the longer are the pauses.
      const again = Math.max(operation.freshUntil, began + (began - unsureSince));
      return { value, nextAt: Math.min(tomorrow, again) };
    };
  },
  // It may have events that were added, or moved forward.
  news: { answers, isAbout: (asked, _key, gateway) => contains(asked, daysFrom(today(gateway))) },
});

builder.subscriptionField('calendarEventReleased', (t) =>
  t.field({
    type: CalendarEvent,
    description:
      'An event when its actual value is released. It looks when an event that the filter lets through is due, and at midnight. Each look costs what the query does, once in its time to live, for all who are subscribed.',
    args: { filter: t.arg({ type: CalendarEventFilter, description: 'By default all events.' }) },
    async subscribe(_root, args, context) {
      const { gateway } = context;
      const filter = parseArguments(eventArguments, args).filter ?? {};
      checkNotOver(firstNewDay(today(gateway)), filter);
      const passes = (event: CalendarEventShape) =>
        matches(event, filter) && isWithin(event.day, filter);
      const isWanted = (event: CalendarEventShape) => passes({ ...event, released: true });
      const dueAt = () => {
        const day = today(gateway);
        const span = { ...daysFrom(day), start: firstNewDay(day) };
        return nextReleaseOf(span, isWanted, context) + MARGIN_MS;
      };
      // What is due next may be known to another process.
      await catchUpEvents(gateway);
      return streamOfNew({ context, poller: pollerOf(gateway, 'all'), dueAt }, passes);
    },
    resolve: (event) => event,
  }),
);
