import { z } from 'zod';
import type { DayRange } from '../cache/day-range.ts';
import { formatDay, parseDay } from '../time.ts';
import { type Endpoint, shaped, type Target } from '../upstream/endpoint.ts';
import type { Meter } from '../meters.ts';
import { type Gateway, today } from './context.ts';
import { expiryOf, openDayRange } from './dataset.ts';
import type { Point } from './time-series.ts';

/** A time series by its key: FX history per pair and macro observations per code (spec 4.1). */

/** HistoryPoint of spec section 2.2: `date` and `value`. */
const historyPoint = z.object({
  date: z.string().refine((text) => dayOf(text) !== undefined, 'not a date'),
  value: z.number(),
});

type HistoryPoint = z.infer<typeof historyPoint>;

const dayOf = (date: string) => parseDay(date.slice(0, 10));

function pointOf({ date, value }: HistoryPoint): Point {
  return { day: dayOf(date) ?? 0, date: date.slice(0, 10), value };
}

export interface SeriesOptions {
  /** The dataset's name, e.g. `fx history`. */
  name: string;
  meter: Meter & ('fx' | 'macro');
  ttl: number;
  path(key: string): Target['path'];
}

/** How far back a request grows on its own: questions about a series mostly lie within a year. */
const WISH_DAYS = 366;

/** One date and one number. */
const BYTES_PER_DAY = 64;

export function openSeries(gateway: Gateway, options: SeriesOptions): DayRange<string, Point> {
  const { name, meter, ttl, path } = options;
  const endpoint: Endpoint<HistoryPoint> = {
    name,
    source: meter,
    group: 'A',
    meter,
    record: z.compile(historyPoint),
    label: 'date',
    emptyOn404: true,
  };
  const expiry = expiryOf(gateway, ttl);
  const target = (key: string, { start, end }: { start: number; end: number }) => ({
    path: path(key),
    query: { start: formatDay(start), end: formatDay(end) },
  });
  return openDayRange<string, Point>(gateway, name, {
    bytesPerDay: BYTES_PER_DAY,
    keyOf: (key) => key,
    dayOf: ({ day }) => day,
    expiresAt: expiry,
    wish: (_key, asked) => ({
      start: Math.min(today(gateway) - WISH_DAYS, asked.start),
      end: today(gateway),
    }),
    async ask(key, span, operation) {
      const answer = await gateway.client.fetch(endpoint, () => target(key, span()), operation);
      return shaped(answer, pointOf);
    },
  });
}
