import { parseArguments, withinDays } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { today } from '../../graph/context.ts';
import { sharedPollers, streamOf } from '../../graph/live.ts';
import { createNewRecords, fromSecondPollOn } from '../../graph/new-records.ts';
import { startOf } from '../../time.ts';
import { loadEvents, nextReleaseOf } from './loaders.ts';
import { type CalendarEventShape, eventsEndpoint } from './records.ts';
import { CalendarEventFilter, eventArguments, matches } from './schema.ts';
import { CalendarEvent } from './types.ts';

/** The subscription field of the calendar domain: all events are polled once for all subscribers. */

/** The days that are polled, counted from today. Yesterday's releases may still come late. */
const DAYS = { back: 1, ahead: 7 };
/** A poll comes this much after a release is due, so that the cache takes it as due, too. */
const MARGIN_MS = 10;

/** Polls when the next release is due, then in growing pauses until its value is there. */
const pollerOf = sharedPollers<'all', readonly CalendarEventShape[]>(
  eventsEndpoint,
  (key) => key,
  () => {
    const newRecords = createNewRecords<CalendarEventShape>();
    return async (context) => {
      const { gateway } = context;
      const day = today(gateway);
      const span = { start: day - DAYS.back, end: day + DAYS.ahead };
      const { value: events } = await loadEvents(span, context);
      const untilTomorrow = startOf(day + 1, gateway.settings.timezone) - gateway.now();
      const tomorrow = gateway.monotonic() + untilTomorrow;
      const nextAt = Math.min(tomorrow, nextReleaseOf(span, context)) + MARGIN_MS;
      const released = events.filter((event) => event.released);
      return { value: newRecords(released, span.start), nextAt };
    };
  },
);

builder.subscriptionField('calendarEventReleased', (t) =>
  t.field({
    type: CalendarEvent,
    description: 'An event when its actual value is released.',
    args: { filter: t.arg({ type: CalendarEventFilter, description: 'By default all events.' }) },
    subscribe(_root, args, context) {
      const { gateway } = context;
      const { filter } = parseArguments(eventArguments, args);
      const { start, end, ...conditions } = filter ?? {};
      const isWithin = withinDays({ start, end }, 'filter.');
      const latest = fromSecondPollOn<CalendarEventShape>();
      return streamOf({
        context,
        poller: pollerOf(gateway, 'all'),
        eventsOf: (events) =>
          latest(events)
            .filter((event) => matches(event, conditions))
            .filter(({ day }) => isWithin(day)),
        capacity: 1000,
      });
    },
    resolve: (event) => event,
  }),
);
