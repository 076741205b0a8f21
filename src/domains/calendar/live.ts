import { contains } from '../../spans.ts';
import { checkNotOver, isWithin, parseArguments } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { today } from '../../graph/context.ts';
import { sharedPollers } from '../../graph/live.ts';
import { createNewRecords, firstNewDay } from '../../graph/new-records.ts';
import { streamOfNew } from '../../graph/streams.ts';
import { type Day, type Span, startOf } from '../../time.ts';
import { answers, knownEvents, loadEvents, nextReleaseOf } from './loaders.ts';
import { type CalendarEventShape, eventsEndpoint } from './records.ts';
import { CalendarEventFilter, eventArguments, type Filter, matches } from './schema.ts';
import { CalendarEvent } from './types.ts';

/** The subscription field of the calendar domain: one poller for each filter. They share what is cached. */

/** The days that are polled from some day on. */
const daysFrom = (day: Day): Span => ({ start: day, end: day + 7 });
/** A poll comes this much after a release is due, so that the cache takes it as due, too. */
const MARGIN_MS = 10;

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
    return async (context) => {
      const { gateway, operation } = context;
      const day = today(gateway);
      const added = await newRecords.poll(day, async (start) => {
        const span = { ...daysFrom(day), start };
        const known = isFirst ? knownEvents(span, isWanted, context) : undefined;
        const events = known ?? (await loadEvents(span, context)).value;
        const records = events.filter((event) => event.released && isWanted(event));
        return { records, isStale: operation.stale > 0 };
      });
      isFirst = false;
      const { timezone } = gateway.settings;
      const untilTomorrow = startOf(day + 1, timezone) - gateway.now();
      const tomorrow = gateway.monotonic() + untilTomorrow;
      const nextRelease = nextReleaseOf(
        { ...daysFrom(day), start: firstNewDay(day) },
        isWanted,
        context,
      );
      return { value: added, nextAt: Math.min(tomorrow, nextRelease) + MARGIN_MS };
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
    subscribe(_root, args, context) {
      const { gateway } = context;
      const filter = parseArguments(eventArguments, args).filter ?? {};
      checkNotOver(firstNewDay(today(gateway)), filter);
      return streamOfNew({ context, poller: pollerOf(gateway, filter) });
    },
    resolve: (event) => event,
  }),
);
