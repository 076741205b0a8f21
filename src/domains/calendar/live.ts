import { parseArguments, withinDays } from '../../graph/arguments.ts';
import { builder } from '../../graph/builder.ts';
import { today } from '../../graph/context.ts';
import { follow, sharedPollers, sinceFirstLook } from '../../graph/live.ts';
import { startOf } from '../../time.ts';
import { loadEvents, releasedIn } from './loaders.ts';
import type { CalendarEventShape } from './records.ts';
import { CalendarEventFilter, eventArguments, matches } from './schema.ts';
import { CalendarEvent } from './types.ts';

/** Days that are looked at: those before may still be released late. */
const DAYS = { back: 1, ahead: 7 };
/** The cache must see a release as due when the poller does. */
const MARGIN_MS = 10;

/** Does not poll: it sleeps until the next release, and over it in growing pauses until it is there. */
const pollerOf = sharedPollers<'all', readonly CalendarEventShape[]>(
  (key) => key,
  async (_key, context) => {
    const { gateway } = context;
    const day = today(gateway);
    const span = { start: day - DAYS.back, end: day + DAYS.ahead };
    const { value } = await loadEvents(span, context);
    const now = gateway.now();
    const tomorrow = startOf(day + 1, gateway.settings.timezone) - now;
    const releases = value.map((event) => releasedIn(event, now));
    return { value, nextAt: gateway.monotonic() + Math.min(tomorrow, ...releases) + MARGIN_MS };
  },
);

builder.subscriptionField('calendarEventReleased', (t) =>
  t.field({
    type: CalendarEvent,
    description: 'An event when its actual value is released.',
    args: { filter: t.arg({ type: CalendarEventFilter, description: 'By default all events.' }) },
    subscribe(_root, args, { gateway }) {
      const { filter } = parseArguments(eventArguments, args);
      const { start, end, ...conditions } = filter ?? {};
      const isWithin = withinDays({ start, end }, 'filter.');
      const news = sinceFirstLook<CalendarEventShape>();
      return follow({
        gateway,
        poller: pollerOf(gateway, 'all'),
        news: (events) =>
          news(events.filter(({ released }) => released))
            .filter((event) => matches(event, conditions))
            .filter(({ day }) => isWithin(day)),
        capacity: 1000,
      });
    },
    resolve: (event) => event,
  }),
);
