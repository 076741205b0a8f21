import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { Days } from '../../cache/segments.ts';
import {
  AT_MOST,
  country,
  currency,
  isAmong,
  listOf,
  paging,
  parseArguments,
  phrase,
  range,
  spanOf,
} from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import {
  type Connection,
  connectionOf,
  connectionType,
  pageArguments,
} from '../../graph/connection.ts';
import type { Context } from '../../graph/context.ts';
import { nodeId } from '../../graph/ids.ts';
import { prefetchFor, prefetchIf } from '../../graph/prefetch.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { registerNode } from '../../graph/node.ts';
import { checkCursors } from '../../graph/order.ts';
import { type PageArguments, placeAmong, type Position } from '../../graph/page.ts';
import { type Day, parseDay, type Span } from '../../time.ts';
import { calendarDefaults, loadEvents, mayPass, zoneOfDays } from './loaders.ts';
import { eventOrder } from './order.ts';
import { type CalendarEventShape, dayOfId } from './records.ts';
import { CalendarEvent, Importance } from './types.ts';

/** The query field of the calendar domain, its arguments, and how an event is found by its id. */

const filterArguments = z.object({
  ...range,
  countries: listOf(country).nullish(),
  importance: listOf(z.enum(['LOW', 'MEDIUM', 'HIGH'])).nullish(),
  currencies: listOf(currency).nullish(),
  indicators: listOf(phrase).nullish(),
  released: z.boolean().nullish(),
});
export type Filter = z.infer<typeof filterArguments>;
/** The arguments without paging, which are also those of the subscription field. */
export const eventArguments = z.object({ filter: filterArguments.nullish() });
const listArguments = eventArguments
  .extend({ orderBy: eventOrder.argument, ...paging('calendarEvents') })
  .superRefine(checkCursors);

interface CalendarConnection extends Connection<CalendarEventShape> {
  timezone: string;
}

const CalendarEventConnection = connectionType<CalendarEventShape, CalendarConnection>(
  CalendarEvent,
);

builder.objectField(CalendarEventConnection, 'timezone', (t) =>
  t.exposeString('timezone', { description: "IANA zone name of the events' times." }),
);

export const CalendarEventFilter = builder.inputType('CalendarEventFilter', {
  description: 'All conditions must hold; an empty list is no condition.',
  fields: (t) => ({
    start: t.field({
      type: 'Date',
      description: 'Default: today. A start more than 7 days ahead needs an `end`.',
    }),
    end: t.field({
      type: 'Date',
      description: 'Default: today + 7 days. An end before today needs a `start`.',
    }),
    countries: t.field({
      type: ['CountryCode'],
      description: `Any of these countries: ${AT_MOST}`,
    }),
    importance: t.field({ type: [Importance], description: `Any of these levels: ${AT_MOST}` }),
    currencies: t.field({
      type: ['CurrencyCode'],
      description: `Any of these currencies: ${AT_MOST}`,
    }),
    indicators: t.stringList({ description: `Any of these indicator codes: ${AT_MOST}` }),
    released: t.boolean({ description: 'Only events whose actual value is, or is not, known.' }),
  }),
});

/** Whether an event meets all conditions of a filter except its range of days. */
export function matches(event: CalendarEventShape, filter: Filter): boolean {
  const { countries, importance, currencies, indicators, released } = filter;
  return (
    isAmong(event.country, countries) &&
    isAmong(event.importance, importance) &&
    isAmong(event.currency, currencies) &&
    isAmong(event.indicator, indicators) &&
    (typeof released !== 'boolean' || event.released === released)
  );
}

/** Loads the events of some days. Selected fields that other domains add to the shown ones are prefetched meanwhile. */
function loadWithLinks(
  span: Span,
  filter: Filter,
  isShown: (event: CalendarEventShape) => boolean,
  context: Context,
  info: GraphQLResolveInfo,
): Maybe<Days<CalendarEventShape>> {
  const days = loadEvents(span, filter, context);
  if (days instanceof Promise) {
    const isLikely = mayPass(span, filter, isShown, context);
    prefetchIf(isLikely, (own) => prefetchFor('CalendarEvent', own, info), context);
  }
  return days;
}

builder.queryField('calendarEvents', (t) =>
  t.field({
    type: CalendarEventConnection,
    nullable: true,
    description:
      'Scheduled releases. All ranges, filters and orders of an operation usually cost one credit together; ranges far apart may cost one more each, since a single answer would include everything in between.',
    args: {
      filter: t.arg({
        type: CalendarEventFilter,
        description: 'Default: today and the next 7 days.',
      }),
      orderBy: t.arg({
        type: eventOrder.type,
        description: "Default: the upstream's order.",
      }),
      ...pageArguments,
    },
    resolve(_root, args, context, info) {
      const { filter, orderBy: order, ...page } = parseArguments(listArguments, args);
      const wanted = filter ?? {};
      const span = spanOf(wanted, calendarDefaults(context), 'filter.');
      const isAnyShown = page.first !== 0 && page.last !== 0;
      const isShown = (event: CalendarEventShape) => matches(event, wanted);
      const events = isAnyShown
        ? loadWithLinks(span, wanted, isShown, context, info)
        : loadEvents(span, wanted, context);
      return whenReady(events, (cached) => {
        const timezone = zoneOfDays(cached, context);
        const { kind, all: whole } = eventOrder.sort('calendarEvents', cached.value, order);
        const all = whole.filter(isShown);
        const placed = placedIn({ all, whole, start: span.start }, page);
        return { ...connectionOf(kind, all, cached, placed), timezone };
      });
    },
  }),
);

/**
 * Whether the earliest day comes first. The list's own order ('') is the upstream's, which may be either. If only one day
 * is left, nothing tells, and events are rather repeated than skipped.
 */
function isPastFirst(order: string, whole: readonly CalendarEventShape[]): boolean {
  if (order !== '') return order === 'DATETIME_ASC';
  const [first, last] = [whole[0], whole.at(-1)];
  return !first || !last || first.day <= last.day;
}

interface Listed {
  /** The events of `whole` that pass the filter. */
  all: readonly CalendarEventShape[];
  whole: readonly CalendarEventShape[];
  start: Day;
}

/**
 * Locates the page's cursors in the list as it is now. Events may have left it since the last page: they were released
 * and the filter excludes that, or a list that begins today begins a day later.
 */
function placedIn({ all, whole, start }: Listed, page: PageArguments): PageArguments {
  const place = (position: Position | null | undefined) => {
    if (!position) return position;
    // The cursor's day is before the list's start: if the events of such days came first, they have all left the list.
    const isPast = (dayOfId(position.id) ?? start) < start;
    const hasLeft = isPast && isPastFirst(position.order, whole);
    return placeAmong(all, whole, position, hasLeft ? 0 : position.index);
  };
  return { ...page, after: place(page.after), before: place(page.before) };
}

/** The upstream has no route for a single event, so it is looked up among the events of its day. */
registerNode('CalendarEvent', ([date = '', recordId, ...rest], context, info) => {
  const day = parseDay(date);
  if (day === undefined || !recordId || rest.length > 0) return undefined;
  const id = nodeId('CalendarEvent', date, recordId);
  const isMeant = (event: CalendarEventShape) => event.id === id;
  const events = loadWithLinks({ start: day, end: day }, {}, isMeant, context, info);
  return whenReady(events, ({ value }) => value.find(isMeant) ?? null);
});
