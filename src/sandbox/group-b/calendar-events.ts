import { type Release, RELEASES, type Schedule } from '../lists/releases.ts';
import { memoize } from '../memo.ts';
import { centered, smooth, streamOf } from '../random.ts';
import {
  daysWhere,
  firstDayOf,
  formatDay,
  instantOf,
  isWeekday,
  monthOf,
  weekdayOf,
} from '../time.ts';

/** Synthetic calendar events: which releases fall on a day, and with what values. Knows nothing of requests. */

/** A release on a day with its outcome. The outcome is published only when the clock has reached `at`. */
export interface PlannedEvent {
  release: Release;
  id: string;
  /** Release time, epoch milliseconds. */
  at: number;
  period: string;
  actual: number;
  forecast: number;
  previous: number;
}

const dayOfMonth = (day: number) => day - firstDayOf(monthOf(day)) + 1;

/** Rounds to a multiple of the release's step, without floating-point noise. */
function toStep(release: Release, value: number): number {
  return Number((Math.round(value / release.step) * release.step).toFixed(3));
}

/** Whether a release falls on a day. Business days include Türkiye's holidays, since most releases are foreign. */
const DUE: Record<Schedule['on'], (schedule: Schedule, day: number) => boolean> = {
  week: ({ weekday }, day) => weekdayOf(day) === weekday,
  weekday: ({ nth, weekday }, day) =>
    weekdayOf(day) === weekday && Math.ceil(dayOfMonth(day) / 7) === nth,
  'business-day': ({ nth }, day) =>
    isWeekday(day) && daysWhere(firstDayOf(monthOf(day)), day, isWeekday).length === nth,
  // A day that the month does not have becomes its last one; a day on a weekend becomes the Friday before.
  day: ({ nth }, day) => {
    const month = monthOf(day);
    const wanted = Math.min(firstDayOf(month) + nth, firstDayOf(month + 1)) - 1;
    const moved = { 6: 1, 0: 2 }[weekdayOf(wanted)] ?? 0;
    return day === wanted - moved;
  },
};

function isDue(release: Release, day: number): boolean {
  const { schedule, months } = release;
  if (months && !months.includes((monthOf(day) % 12) + 1)) return false;
  return DUE[schedule.on](schedule, day);
}

/** A reference period: its number, from which values are made, and its name. */
interface Period {
  index: number;
  name: string;
}

const monthPeriod = (month: number): Period => ({
  index: month,
  name: formatDay(firstDayOf(month)).slice(0, 7),
});

/** The reference period of a release on a day. */
const PERIOD: Record<Release['period'], (day: number) => Period> = {
  'previous-week': (day) => ({
    index: Math.floor(day / 7),
    name: formatDay(day - weekdayOf(day) - 1),
  }),
  'previous-quarter': (day) => {
    const index = Math.floor(monthOf(day) / 3) - 1;
    return { index, name: `${1970 + Math.floor(index / 4)}-Q${(index % 4) + 1}` };
  },
  'previous-month': (day) => monthPeriod(monthOf(day) - 1),
  'same-month': (day) => monthPeriod(monthOf(day)),
};

function plan(seed: number, release: Release, day: number): PlannedEvent {
  const stream = streamOf(seed, `event ${release.indicator}`);
  const { index, name } = PERIOD[release.period](day);
  const valueOf = (period: number) => {
    const drift = smooth(stream, period / 6) * 0.7 + centered(stream + 1, period) * 0.5;
    return toStep(release, release.level + release.range * drift);
  };
  const actual = valueOf(index);
  const surprise = centered(stream + 2, index) * release.range * 0.4;
  return {
    release,
    id: `${release.indicator}-${formatDay(day)}`.toLowerCase().replaceAll('_', '-'),
    at: instantOf(day, ...release.time),
    period: name,
    actual,
    forecast: toStep(release, actual - surprise),
    previous: valueOf(index - 1),
  };
}

/** The releases of a day in order of time. */
export function createPlan(seed: number): (day: number) => readonly PlannedEvent[] {
  return memoize((day: number) => {
    const due = RELEASES.filter((release) => isDue(release, day));
    return due.map((release) => plan(seed, release, day)).toSorted((one, two) => one.at - two.at);
  }, 2000);
}
