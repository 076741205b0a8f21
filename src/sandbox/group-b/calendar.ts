import type { EndpointRequest } from '../endpoint.ts';
import { IMPORTANCE } from '../lists/releases.ts';
import { readChoice, readCodes, readRange } from '../parameters.ts';
import { round } from '../random.ts';
import { ApiError } from '../errors.ts';
import { daysWhere, formatInstant, TIMEZONE } from '../time.ts';
import type { PlannedEvent } from './calendar-events.ts';

/** The calendar endpoint of Group B: filters events, and hides what is not public yet. */

/** Not in the spec: how far back, and how far ahead, events are known; here it is two months. */
const REACH_DAYS = 62;
const DEFAULT_DAYS_AHEAD = 7;

/** The fields that only a released event has. */
function outcome({ release, actual, forecast }: PlannedEvent): object {
  const surprise = round(actual - forecast, 3);
  const effect = surprise * release.good;
  return { surprise, impact: effect === 0 ? 'neutral' : effect > 0 ? 'positive' : 'negative' };
}

/** Section 2.6. */
function toRecord(event: PlannedEvent, at: number): object {
  const { release } = event;
  const released = event.at <= at;
  return {
    id: event.id,
    datetime: formatInstant(event.at),
    country: release.country,
    currency: release.currency,
    event: release.event,
    indicator: release.indicator,
    importance: release.importance,
    period: event.period,
    actual: released ? event.actual : null,
    forecast: event.forecast,
    previous: event.previous,
    unit: release.unit,
    ...(released ? outcome(event) : {}),
  };
}

function createFilter(query: URLSearchParams): (event: PlannedEvent) => boolean {
  const countries = readCodes(query, 'countries', /^[A-Z]{2}$/);
  const currencies = readCodes(query, 'currency', /^[A-Z]{3}$/);
  const importance = readChoice(query, 'importance', IMPORTANCE);
  return ({ release }) =>
    (countries.size === 0 || countries.has(release.country)) &&
    (currencies.size === 0 || currencies.has(release.currency)) &&
    (importance === null || importance === release.importance);
}

/** GET /calendar/events, in order of time. */
export function createCalendarEvents(planOf: (day: number) => readonly PlannedEvent[]) {
  return ({ query, at, today }: EndpointRequest): object => {
    const range = readRange(query, { start: today, end: today + DEFAULT_DAYS_AHEAD });
    const keep = createFilter(query);
    const start = Math.max(range.start, today - REACH_DAYS);
    const days = daysWhere(start, Math.min(range.end, today + REACH_DAYS), () => true);
    const data = days
      .flatMap((day) => planOf(day).filter(keep))
      .map((event) => toRecord(event, at));
    if (data.length === 0) throw new ApiError('no_data', 'No event matches the query');
    return { timezone: TIMEZONE, data };
  };
}
