import { createContextCache } from '@pothos/core';
import { clip, type Days, type Segments } from '../../cache/segments.ts';
import { gaps } from '../../spans.ts';
import { type Context, type Gateway, today, todayFor } from '../../graph/context.ts';
import { defineDayRange } from '../../graph/dataset.ts';
import { freshByAge, widened } from '../../graph/freshness.ts';
import { defineLateRanges } from '../../graph/late-ranges.ts';
import { createWatch } from '../../graph/watch.ts';
import { type Maybe, whenReady } from '../../maybe.ts';
import { expiryFor } from '../../spending/lifetimes.ts';
import { formatDay, isTimezone, type Span, startOf, DAY_MS } from '../../time.ts';
import { type Answer, mapRecords } from '../../upstream/endpoint.ts';
import { ALL, type EventFilters, keyFor, parametersOf } from './keys.ts';
import { type CalendarEventShape, eventOf, eventsEndpoint } from './records.ts';

/** How far requests are widened from today, in days: one month back and two months ahead. */
const PREFETCH_DAYS = { back: 31, ahead: 62 };

/** Expected maximum size of one day's events of all countries, in bytes of JSON. */
const BYTES_PER_DAY = 4096;

/** Minimum pause before an event that is due and has no value yet is requested again, in milliseconds. */
const FIRST_PAUSE_MS = 1000;
/** How long after its release time an event's value is still expected, in milliseconds. */
const GIVE_UP_AFTER_MS = DAY_MS;

/**
 * Returns in how many milliseconds from `now` (wall time) an event's value is expected: at its release time;
 * once that has passed, after half the time since then. Infinity if no value is expected.
 */
function releasedIn({ released, releasesAt }: CalendarEventShape, now: number): number {
  if (released) return Infinity;
  const late = now - releasesAt;
  if (late < 0) return -late;
  return late > GIVE_UP_AFTER_MS ? Infinity : Math.max(FIRST_PAUSE_MS, late / 2);
}

/** Notifies watchers of fresh answers, and of the days that each is about. */
export const answers = createWatch<Span>();

/** The time zone that was last stated by any answer. */
const lastStated = createContextCache((_gateway: Gateway): { timezone: string | null } => ({
  timezone: null,
}));

/**
 * All events under one key: the gateway itself filters by country, importance and currency. Under others those that the
 * upstream lets pass, for ranges of which all events would come too late.
 */
const calendar = defineDayRange((gateway: Gateway) => ({
  name: 'calendar',
  endpoint: eventsEndpoint,
  bytesPerDay: BYTES_PER_DAY,
  keyOf: (key: string) => key,
  parseKey: (text) => text,
  dayOf: ({ day }) => day,
  freshFor: freshByAge(gateway, gateway.settings.ttl.calendar),
  changesIn: releasedIn,
  otherZone: { days: 1, keyOf: ({ id }) => id },
  prefetch: (_key, asked) => widened(asked, today(gateway), PREFETCH_DAYS),
  target: (key, { start, end }) => ({
    path: ['calendar', 'events'],
    query: { start: formatDay(start), end: formatDay(end), ...parametersOf(key) },
  }),
  onAnswer({ origin }, key, asked, at) {
    if (origin.timezone !== null) lastStated(gateway).timezone = origin.timezone;
    // An answer that another process stored may have come long ago.
    const age = gateway.governors[eventsEndpoint.meter].now() - at.aging;
    if (key === ALL && age < gateway.settings.ttl.calendar) answers.notify(gateway, asked);
  },
  read(answer): Answer<CalendarEventShape> {
    const timezone = zoneOf(answer.origin.timezone, gateway.settings.timezone);
    const events = mapRecords(eventsEndpoint, answer, {
      shape: (event) => eventOf(event, timezone),
      keyOf: ({ id }) => id,
    });
    // An empty calendar is more likely a mistake of the upstream: the next answer comes as soon as after a 404.
    return { ...events, isProvisional: events.isProvisional || events.records.length === 0 };
  },
}));

/** Returns the time zone that an answer states, spelled as stated, if this machine knows it; else `fallback`. */
function zoneOf(stated: string | null, fallback: string): string {
  return stated !== null && (stated === fallback || isTimezone(stated)) ? stated : fallback;
}

/** Returns the time zone of some days' events: the one their answer states, else the last that any answer stated. */
export function zoneOfDays({ origin }: Days<unknown>, { gateway }: Context): string {
  return zoneOf(origin.timezone ?? lastStated(gateway).timezone, gateway.settings.timezone);
}

/** Returns the default range: today and the seven days after it (spec section 4.2). */
export function calendarDefaults(context: Context): Span {
  const start = todayFor(context);
  return { start, end: start + 7 };
}

const loadInTime = defineLateRanges(calendar);

/**
 * Loads the events of some days: usually one credit for all ranges and filters of an operation. The caller still has to
 * apply the filters.
 */
export function loadEvents(span: Span, filters: EventFilters, context: Context) {
  const { oldDays, coverageOf, catchUp } = calendar.cache(context.gateway);
  const filtered = () => {
    const key = keyFor(filters);
    if (key === ALL) return undefined;
    return {
      isFresh: () => gaps(coverageOf(key, context.operation).fresh, span).length === 0,
      load: () => calendar.load(key, span, context),
      old: () => whenReady(catchUp(key), () => oldDays(key, span, context.operation)),
    };
  };
  const loadAll = () => calendar.load(ALL, span, context);
  const old = () => oldDays(ALL, span, context.operation);
  return loadInTime({ key: ALL, span, loadAll, old, filtered }, context);
}

/**
 * Whether any event of these days may pass a filter: false only if all days are cached, however old, and none of their
 * events passes.
 */
export function mayPass(
  span: Span,
  filters: EventFilters,
  passes: (event: CalendarEventShape) => boolean,
  { gateway, operation }: Context,
): boolean {
  const { coverageOf } = calendar.cache(gateway);
  const known = [ALL, keyFor(filters)].map((key) => coverageOf(key, operation).all);
  const all = known.find((segments) => gaps(segments, span).length === 0);
  const days = all && clip(all, span);
  return !days || days.some(({ entries }) => entries.some(({ record }) => passes(record)));
}

/** Caches the events that other processes have stored. */
export const catchUpEvents = (gateway: Gateway): Maybe<unknown> =>
  calendar.cache(gateway).catchUp(ALL);

/** Whether the cached answer about any of these days is provisional: the next one may differ without a real change. */
export function isProvisional(span: Span, { gateway, operation }: Context): boolean {
  const { all } = calendar.cache(gateway).coverageOf(ALL, operation);
  return clip(all, span).some((segment) => segment.isProvisional);
}

/**
 * Returns the cached events of these days if they came today, are not provisional, and no wanted one was due since: a
 * new answer would bring nothing that is known to be new. Undefined otherwise, and if there are no events: an empty
 * calendar is more likely a mistake of the upstream.
 */
export function knownEvents(
  span: Span,
  isWanted: (event: CalendarEventShape) => boolean,
  { gateway, operation }: Context,
): readonly CalendarEventShape[] | undefined {
  const { all } = calendar.cache(gateway).coverageOf(ALL, operation);
  const from = startOf(today(gateway), gateway.settings.timezone);
  const isCurrent = ({
    origin: { retrievedAt: came },
    entries,
    isProvisional: isUnsure,
  }: Segments<CalendarEventShape>[number]) =>
    !isUnsure &&
    came >= from &&
    entries.every(
      ({ record }) => !isWanted(record) || came + releasedIn(record, came) > gateway.now(),
    );
  const days = clip(all, span);
  if (gaps(all, span).length > 0 || !days.every(isCurrent)) return undefined;
  const events = days.flatMap(({ entries }) => entries.map(({ record }) => record));
  return events.length > 0 ? events : undefined;
}

/**
 * Returns when (on the monotonic clock) the next value of a wanted event of these days is expected and would be
 * requested, judging by the cached events; Infinity if none is expected. Events that are overdue because they could not
 * be refreshed count as if they had come now.
 */
export function nextReleaseOf(
  span: Span,
  isWanted: (event: CalendarEventShape) => boolean,
  { gateway, operation }: Context,
): number {
  const { now, monotonic, governors } = gateway;
  const aging = governors[eventsEndpoint.meter];
  const [wall, at] = [now(), monotonic()];
  const { all } = calendar.cache(gateway).coverageOf(ALL, operation);
  const instants = clip(all, span).flatMap((segment) => {
    const came = segment.origin.retrievedAt;
    const expires = aging.monotonicAt(expiryFor(segment, operation.spender.priority, aging));
    const wanted = segment.entries.filter(({ record }) => isWanted(record));
    return wanted.map(({ record }) => {
      const next = Math.max(at + came + releasedIn(record, came) - wall, expires);
      return next > at ? next : at + releasedIn(record, wall);
    });
  });
  return Math.min(...instants);
}
