import { contains } from '../../spans.ts';
import { checkNotPast, isPast, isWithin, parseArguments } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { type Context, type Gateway, today } from '../../graph/context.ts';
import { sharedPollers } from '../../graph/live.ts';
import { createNewRecords, firstNewDay } from '../../graph/new-records.ts';
import { streamOfNew } from '../../graph/streams.ts';
import { type Day, type Span, startOf } from '../../time.ts';
import { badInput } from '../../upstream/errors.ts';
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

/** The subscription field of the calendar domain: one poller per filter; all pollers share the cached events. */

/** The days to poll: `day` and the seven days after it. */
const daysFrom = (day: Day): Span => ({ start: day, end: day + 7 });
/** How long after a release is due a poll comes, in milliseconds, so that the cache considers it due, too. */
const MARGIN_MS = 10;

/** Returns when the next wanted release is due, or midnight if that is earlier (on the monotonic clock). */
function nextDueAt(isWanted: (event: CalendarEventShape) => boolean, context: Context): number {
  const { gateway } = context;
  const day = today(gateway);
  const untilTomorrow = startOf(day + 1, gateway.settings.timezone) - gateway.now();
  const span = { ...daysFrom(day), start: firstNewDay(day) };
  const nextRelease = nextReleaseOf(span, isWanted, context);
  return Math.min(gateway.monotonic() + untilTomorrow, nextRelease) + MARGIN_MS;
}

/** By how much the wall clock may stray from the monotonic one before it counts as set, in milliseconds. */
const MAX_STRAY_MS = 30_000;

/**
 * Plans the next poll, and another one as soon as the wall clock has been set, by which releases and midnights come, as
 * after a pause of a virtual machine that no other clock has counted; or as soon as a release turns out to be due
 * sooner, as when less is saved because units were bought.
 */
function planned(nextAt: number, dueAt: () => number, { now, monotonic }: Gateway) {
  const ahead = now() - monotonic();
  const isClockSet = () => Math.abs(now() - monotonic() - ahead) > MAX_STRAY_MS;
  return { nextAt, isDue: () => isClockSet() || dueAt() < nextAt - MAX_STRAY_MS };
}

/** Polls when the next release that passes the filter is due, then at growing intervals until its value is known. */
const pollerOf = sharedPollers<Filter, readonly CalendarEventShape[], Span>({
  endpoint: eventsEndpoint,
  // The order of list entries, and duplicates among them, make no difference.
  keyOf: (filter) =>
    JSON.stringify(filter, (_name, value: unknown) =>
      Array.isArray(value) ? [...new Set<string>(value)].toSorted() : value,
    ),
  isTimed: true,
  pollOf: (filter) => {
    const newRecords = createNewRecords<CalendarEventShape>();
    const isWanted = (event: CalendarEventShape) =>
      matches({ ...event, released: true }, filter) && isWithin(event.day, filter);
    /** Whether this is the first poll: it finds out what is released already and due next, so cached events suffice. */
    let isFirst = true;
    /** Since when polls have been stale or provisional (on the monotonic clock); undefined if the last one was not. */
    let unsureSince: number | undefined;
    return async (context) => {
      const { gateway, operation } = context;
      const began = gateway.monotonic();
      const day = today(gateway);
      if (isFirst) await catchUpEvents(gateway);
      const added = await newRecords.poll(day, async (start) => {
        const span = { ...daysFrom(day), start };
        const known = isFirst ? knownEvents(span, isWanted, context) : undefined;
        const events = known ?? (await loadEvents(span, {}, context)).value;
        const records = events.filter((event) => event.released && isWanted(event));
        const isDoubtful = events.length === 0 && isProvisional(daysFrom(day), context);
        return { records, isStale: operation.stale > 0, isDoubtful };
      });
      isFirst = false;
      const isUnsure = operation.stale > 0 || isProvisional(daysFrom(day), context);
      unsureSince = isUnsure ? (unsureSince ?? began) : undefined;
      const dueAt = () => nextDueAt(isWanted, context);
      if (unsureSince === undefined) return { value: added, ...planned(dueAt(), dueAt, gateway) };
      // The next release may be missing from the cached events, so polls come sooner; pauses grow while that lasts.
      const again = Math.max(operation.freshUntil, began + (began - unsureSince));
      return { value: added, ...planned(Math.min(dueAt(), again), dueAt, gateway) };
    };
  },
  // An answer about the polled days may have events that were added or rescheduled to an earlier time.
  news: { answers, isAbout: (asked, _key, gateway) => contains(asked, daysFrom(today(gateway))) },
});

builder.subscriptionField('calendarEventReleased', (t) =>
  t.field({
    type: CalendarEvent,
    description:
      'Each event as soon as its actual value is released. The upstream is polled when an event that matches the filter is due, then at growing intervals until its value is known, and at midnight; the stream ends once `end` of the filter has passed. A poll costs what the query costs, for all subscribers together.',
    args: { filter: t.arg({ type: CalendarEventFilter, description: 'Default: all events.' }) },
    subscribe(_root, args, context) {
      const { gateway } = context;
      const filter = parseArguments(eventArguments, args).filter ?? {};
      if (filter.released === false)
        throw badInput(
          'filter.released',
          'must not be false: events are sent once they are released',
        );
      checkNotPast(firstNewDay(today(gateway)), filter);
      const isOver = () => isPast(firstNewDay(today(gateway)), filter);
      return streamOfNew({ context, poller: pollerOf(gateway, filter) }, { isOver });
    },
    resolve: (event) => event,
  }),
);
